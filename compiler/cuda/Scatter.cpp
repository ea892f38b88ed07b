// A scatter. Where positions do not differ along a row, a block has rows of the result of its own: it fills them, walks
// the positions 256 at a time, and keeps those that are its rows in their order; each of its threads then adds what it
// has of every row.
//
//   for (i = threadIdx.x; i < rows * inner; i += 256) y[begin + i] = base ? base[begin + i] : 0;
//   for (first = 0; first < count; first += 256) {
//     <places[] and targets[] of the positions in this block's rows, compacted in order>
//     for (h = 0; h < hits; ++h) if (this thread's) y[targets[h], c] += source[places[h], c];
//   }
//
// Else a thread has a column of the result, and walks the sources that can come to it.
#include "cuda/Scatter.h"

#include "cuda/NestText.h"
#include "cuda/Program.h"
#include "cuda/ScalarText.h"
#include "cuda/form/Form.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tensorjit::cuda {

/// Blocks look through the whole list, so there are not more of them than keep a device busy.
static constexpr int64_t enoughBlocks = 4 * multiprocessors;

ScatterText::ScatterText(kernel::ScatterOp op)
    : op_(op), outer_(op.getOuter()), size_(op.getSize()), inner_(op.getInner()), count_(op.getCount()),
      isList_(op.isList()) {
  if (inRows()) {
    int64_t ofSlab = std::clamp<int64_t>(enoughBlocks / std::max<int64_t>(1, outer_), 1, std::max<int64_t>(1, size_));
    // A block that fills less than its threads write at once only looks through the list.
    int64_t fewestRows = llvm::divideCeil(blockThreads, std::max<int64_t>(1, inner_));
    rowsOfBlock_ = std::max<int64_t>(llvm::divideCeil(size_, ofSlab), fewestRows);
    blocks_ = outer_ * llvm::divideCeil(size_, rowsOfBlock_);
  } else {
    blocks_ = llvm::divideCeil(outer_ * inner_, blockThreads);
  }
}

// Places and targets of 256 positions, and what the warps of a block have found.
int64_t ScatterText::sharedBytes() const { return inRows() ? (2 * blockThreads + 8) * 4 : 0; }

std::string ScatterText::comment() const { return "// " + op_.getSymName().str() + linesOf(op_.getLoc()) + "\n"; }

std::string ScatterText::constants() const {
  auto constant = [](const char *name, int64_t value) {
    return "  const long long " + std::string(name) + " = " + std::to_string(value) + ";\n";
  };
  return constant("outer", outer_) + constant("size", size_) + constant("inner", inner_) + constant("count", count_);
}

std::string ScatterText::rows() const {
  std::string check = std::to_string(op_.getCheck());
  std::string put =
      op_.getKind() == kernel::ScatterKind::Add ? "y[to] = y[to] + source[from];" : "y[to] = source[from];";
  return "  const long long blockRows = " + std::to_string(rowsOfBlock_) +
         ", slabBlocks = (size + blockRows - 1) / blockRows;\n"
         "  const long long slab = block / slabBlocks, firstRow = block % slabBlocks * blockRows;\n"
         "  const int rows = (int)(size - firstRow < blockRows ? size - firstRow : blockRows);\n"
         "  const long long begin = (slab * size + firstRow) * inner, list = " +
         std::string(isList_ ? "0" : "slab * count") +
         ";\n"
         "  " +
         std::string(op_.getBase() ? "if (base != y) " : "") +
         "for (long long i = threadIdx.x; i < rows * inner; i += 256) " +
         (op_.getBase() ? "y[begin + i] = base[begin + i];\n" : "y[begin + i] = {};\n") + "  if (firstRow == 0" +
         (isList_ ? " && slab == 0" : "") +
         ")\n"
         "    for (long long k = threadIdx.x; k < count; k += 256)\n"
         "      checkIndex(index[list + k], list + k, size, " +
         check +
         ", error);\n"
         "  int *places = (int *)shared, *targets = places + 256, *found = targets + 256;\n"
         "  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;\n"
         "  // Narrow rows: a group of threads has every groups-th row.\n"
         "  const int groups = inner < 256 ? (int)(256 / inner) : 1;\n"
         "  const int group = inner < 256 ? (int)(threadIdx.x / inner) : 0;\n"
         "  const int column = inner < 256 ? (int)(threadIdx.x % inner) : threadIdx.x;\n"
         "  for (long long first = 0; first < count; first += 256) {\n"
         "    const long long k = first + threadIdx.x;\n"
         "    const long long row = k < count ? index[list + k] - firstRow : -1;\n"
         "    const bool mine = row >= 0 && row < rows;\n"
         "    const unsigned hits = __ballot_sync(0xffffffffu, mine);\n"
         "    if (lane == 0) found[warp] = __popc(hits);\n"
         "    __syncthreads();\n"
         "    int at = __popc(hits & ((1u << lane) - 1)), total = 0;\n"
         "    for (int w = 0; w < 8; ++w) {\n"
         "      if (w < warp) at += found[w];\n"
         "      total += found[w];\n"
         "    }\n"
         "    if (mine) {\n"
         "      places[at] = threadIdx.x;\n"
         "      targets[at] = (int)row;\n"
         "    }\n"
         "    __syncthreads();\n"
         "    for (int h = 0; h < total; ++h) {\n"
         "      if (targets[h] % groups != group) continue;\n"
         "      for (long long c = column; c < inner; c += 256) {\n"
         "        const long long to = begin + targets[h] * inner + c;\n"
         "        const long long from = (slab * count + first + places[h]) * inner + c;\n"
         "        " +
         put +
         "\n"
         "      }\n"
         "    }\n"
         "    __syncthreads();\n"
         "  }\n";
}

std::string ScatterText::columns() const {
  std::string put =
      op_.getKind() == kernel::ScatterKind::Add ? "y[to] = y[to] + source[place];" : "y[to] = source[place];";
  return "  const long long item = (long long)block * 256 + threadIdx.x;\n"
         "  if (item >= outer * inner) return;\n"
         "  const long long slab = item / inner, column = item % inner, begin = slab * size * inner + column;\n"
         "  " +
         std::string(op_.getBase() ? "if (base != y) " : "") +
         "for (long long row = 0; row < size; ++row) y[begin + row * inner] = " +
         std::string(op_.getBase() ? "base[begin + row * inner];\n" : "{};\n") +
         "  for (long long k = 0; k < count; ++k) {\n"
         "    const long long place = (slab * count + k) * inner + column, row = index[place];\n"
         "    if (row < 0 || row >= size) {\n"
         "      checkIndex(row, place, size, " +
         std::to_string(op_.getCheck()) +
         ", error);\n"
         "      continue;\n"
         "    }\n"
         "    const long long to = begin + row * inner;\n"
         "    " +
         put + "\n  }\n";
}

FailureOr<std::string> ScatterText::function() {
  auto memory = [](Value tensor) {
    return memoryTypeText(kernel::scalarType(cast<RankedTensorType>(tensor.getType()).getElementType()));
  };
  std::string parameters =
      "(const " + memory(op_.getSource()) + " *source, const " + memory(op_.getIndex()) + " *index, ";
  if (op_.getBase()) parameters += "const " + memory(op_.getBase()) + " *base, ";
  parameters += memory(op_.getResult()) + " *y, int block, unsigned long long *error)";
  return parameters + " {\n" + constants() + (inRows() ? rows() : columns()) + "}\n\n";
}

} // namespace tensorjit::cuda
