// A nest without reductions that lies along one dim in some tensors and along another, `cross`, in the rest: a block
// has a rectangle of both, and what lies along `cross` goes through shared memory. Its rows are as long as it takes for
// the threads of a warp to meet all banks, in either direction.
//
//   for (int i = threadIdx.x; i < 1024; i += 256) tile0[i / 32 * 33 + i % 32] = in0[... + i % 32];
//   __syncthreads();
//   for (int i = threadIdx.x; i < 1024; i += 256) out0[... + i % 32] = f(tile0[i % 32 * 33 + i / 32]);
#include "cuda/form/Form.h"
#include "cuda/form/Vectors.h"

#include "cuda/ScalarText.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/MathExtras.h"

#include <array>
#include <map>

using namespace mlir;
using tensorjit::nest::Access;
using tensorjit::nest::Space;

namespace tensorjit::cuda {

/// Fewer points are read from a cache as well as from a tile.
static constexpr int64_t worthTransposing = 4096;
static constexpr int64_t usualSide = 32;
static constexpr int64_t mostSharedBytes = 48 << 10;

namespace {

struct TiledDim {
  unsigned outer, inner;
  int64_t size, tile;
};

class TransposeForm : public Form {
public:
  TransposeForm(Space space, TiledDim lane, TiledDim cross, SmallVector<unsigned> turnedInputs,
                SmallVector<unsigned> turnedOutputs)
      : Form(std::move(space)), lane_(lane), cross_(cross), inputs_(std::move(turnedInputs)),
        outputs_(std::move(turnedOutputs)) {
    for (unsigned input : inputs_) choosePitch(space_.inputs[input]);
    for (unsigned output : outputs_) choosePitch(space_.outputs[output]);
  }

  int64_t blocks() const override { return space_.points(/*reductionDims=*/false) / (lane_.tile * cross_.tile); }
  int64_t sharedBytes() const override;
  LogicalResult write(BodyText &text) override;

private:
  void choosePitch(const Access &access);
  /// Elements from one row of a tile to the next.
  int64_t pitch(const Access &access) const { return pitches_.at(memoryBytes(access.element)); }
  int64_t tileBytes(const Access &access) const {
    return llvm::alignTo(lane_.tile * pitch(access) * memoryBytes(access.element), 16);
  }
  std::string place(const Access &access) const {
    return "d" + std::to_string(lane_.inner) + " * " + std::to_string(pitch(access)) + " + d" +
           std::to_string(cross_.inner);
  }
  void defineTiles(BodyText &text);
  /// A loop over the rectangle, its points neighbours along `fast`.
  LogicalResult forPoints(BodyText &text, const TiledDim &fast, const TiledDim &slow,
                          llvm::function_ref<LogicalResult()> body);
  LogicalResult compute(BodyText &text);

  TiledDim lane_, cross_;
  SmallVector<unsigned> inputs_, outputs_; ///< that lie along cross
  std::map<int64_t, int64_t> pitches_;     ///< by an element's bytes
};

} // namespace

// Accesses of a warp that wait for others, over a tile whose points are taken in order, `fast` ones in a row, each
// `fastStride` elements from the next.
static int64_t bankConflicts(int64_t fast, int64_t slow, int64_t fastStride, int64_t slowStride, int64_t bytes) {
  int64_t threads = bytes == 8 ? 16 : 32, conflicts = 0; // 8 bytes take half a warp at a time, and two banks each
  for (int64_t first = 0; first < fast * slow; first += threads) {
    llvm::SmallSet<int64_t, 32> words;
    std::array<int64_t, 32> waves{};
    for (int64_t p = first; p < std::min(first + threads, fast * slow); ++p) {
      int64_t word = (p % fast * fastStride + p / fast * slowStride) * bytes / std::max<int64_t>(bytes, 4);
      if (words.insert(word).second) ++waves[word % threads];
    }
    conflicts += *std::max_element(waves.begin(), waves.end()) - 1;
  }
  return conflicts;
}

void TransposeForm::choosePitch(const Access &access) {
  int64_t bytes = memoryBytes(access.element), least = 0;
  if (pitches_.count(bytes)) return;
  for (int64_t pitch = cross_.tile; pitch <= cross_.tile + 32; ++pitch) {
    int64_t conflicts = bankConflicts(cross_.tile, lane_.tile, 1, pitch, bytes) +
                        bankConflicts(lane_.tile, cross_.tile, pitch, 1, bytes);
    if (pitches_.count(bytes) && conflicts >= least) continue;
    pitches_[bytes] = pitch;
    least = conflicts;
  }
}

int64_t TransposeForm::sharedBytes() const {
  int64_t bytes = 0;
  for (unsigned input : inputs_) bytes += tileBytes(space_.inputs[input]);
  for (unsigned output : outputs_) bytes += tileBytes(space_.outputs[output]);
  return bytes;
}

void TransposeForm::defineTiles(BodyText &text) {
  int64_t offset = 0;
  auto define = [&](const Access &access, const std::string &name) {
    std::string type = memoryTypeText(access.element);
    text.line(type + " *" + name + " = reinterpret_cast<" + type + " *>(shared + " + std::to_string(offset) + ");");
    offset += tileBytes(access);
  };
  for (unsigned input : inputs_) define(space_.inputs[input], "tile" + std::to_string(input));
  for (unsigned output : outputs_) define(space_.outputs[output], "made" + std::to_string(output));
}

LogicalResult TransposeForm::forPoints(BodyText &text, const TiledDim &fast, const TiledDim &slow,
                                       llvm::function_ref<LogicalResult()> body) {
  int64_t points = fast.tile * slow.tile, rounds = llvm::divideCeil(points, blockThreads);
  // Four rounds hide a read's time; more only take long to compile.
  text.line(rounds <= 4 ? "#pragma unroll" : "#pragma unroll 4");
  text.open("for (int i = 0; i < " + std::to_string(rounds) + "; ++i)");
  text.line("const int p = i * " + std::to_string(blockThreads) + " + threadIdx.x;");
  if (points % blockThreads) text.line("if (p >= " + std::to_string(points) + ") break;");
  text.defineDims({slow.inner, fast.inner}, "p");
  for (const TiledDim *dim : {&fast, &slow}) {
    if (dim->size % dim->tile == 0) continue;
    std::string at =
        "d" + std::to_string(dim->outer) + " * " + text.index().number(dim->tile) + " + d" + std::to_string(dim->inner);
    text.line("if (" + at + " >= " + text.index().number(dim->size) + ") continue;");
  }
  LogicalResult result = body();
  text.close();
  return result;
}

LogicalResult TransposeForm::compute(BodyText &text) {
  for (unsigned input : inputs_) {
    std::string name = "tile" + std::to_string(input) + "[" + place(space_.inputs[input]) + "]";
    if (space_.inputs[input].element.isInteger(1)) name = "(" + name + " != 0)";
    text.setName(nest().getBlock()->getArgument(input), name);
  }
  for (kernel::CheckIndexOp check : body_.checks())
    if (failed(text.define(check.getResult()))) return failure();
  for (unsigned i = 0; i < space_.outputs.size(); ++i)
    if (failed(text.define(yielded(i)))) return failure();
  for (unsigned i = 0; i < space_.outputs.size(); ++i) {
    std::string value = text.nameOf(yielded(i));
    if (llvm::is_contained(outputs_, i))
      text.line("made" + std::to_string(i) + "[" + place(space_.outputs[i]) + "] = " + value + ";");
    else text.store(i, value);
  }
  return success();
}

LogicalResult TransposeForm::write(BodyText &text) {
  SmallVector<unsigned> others;
  for (unsigned dim : space_.dims(/*reductionDims=*/false))
    if (dim != lane_.inner && dim != cross_.inner) others.push_back(dim);
  text.defineDims(others, "block");
  defineTiles(text);
  auto readTiles = [&] {
    for (unsigned input : inputs_)
      text.line("tile" + std::to_string(input) + "[" + place(space_.inputs[input]) + "] = " + text.loadText(input) +
                ";");
    return success();
  };
  if (!inputs_.empty()) {
    if (failed(forPoints(text, cross_, lane_, readTiles))) return failure();
    text.line("__syncthreads();");
  }
  if (failed(forPoints(text, lane_, cross_, [&] { return compute(text); }))) return failure();
  if (outputs_.empty()) return success();
  text.line("__syncthreads();");
  return forPoints(text, cross_, lane_, [&] {
    for (unsigned i : outputs_) text.store(i, "made" + std::to_string(i) + "[" + place(space_.outputs[i]) + "]");
    return success();
  });
}

// Whether an access crosses the memory of what runs along `lane`, and runs along `cross`.
static bool isTurned(const Space &space, const Access &access, unsigned lane, unsigned cross) {
  nest::LinearForm form = space.addressForm(access);
  return access.dependsOn(lane) && form.isLinearIn(lane) && form.isLinearIn(cross) && form.coefficients[lane] != 1 &&
         form.coefficients[cross] == 1;
}

static int64_t bytesAlong(const Space &space, unsigned dim, std::optional<unsigned> notAlong) {
  int64_t bytes = 0;
  auto add = [&](const Access &access, int64_t weight) {
    bool turned = !notAlong || isTurned(space, access, *notAlong, dim);
    if (turned && isContiguous(space, access, dim)) bytes += weight * memoryBytes(access.element);
  };
  for (const Access &access : space.inputs) add(access, 2);
  for (const Access &access : space.outputs) add(access, 3);
  return bytes;
}

static std::optional<unsigned> bestDim(const Space &space, std::optional<unsigned> notAlong) {
  std::optional<unsigned> best;
  int64_t bestBytes = 0;
  for (unsigned dim : space.dims(/*reductionDims=*/false)) {
    if (dim == notAlong || space.sizes[dim] < 4) continue;
    int64_t bytes = bytesAlong(space, dim, notAlong);
    if (bytes <= bestBytes) continue;
    best = dim;
    bestBytes = bytes;
  }
  return best;
}

// A small dim is taken whole.
static TiledDim tileDim(Space &space, unsigned dim) {
  int64_t size = space.sizes[dim];
  bool isWhole = size <= usualSide || (size <= 2 * usualSide && size % usualSide);
  int64_t tile = isWhole ? size : usualSide;
  unsigned inner = space.split(dim, tile);
  return {dim, inner, size, tile};
}

std::unique_ptr<Form> makeTransposeForm(Space space) {
  if (!space.dims(/*reductionDims=*/true).empty() || !nest::Body(space).reductions().empty()) return nullptr;
  if (space.points(/*reductionDims=*/false) < worthTransposing) return nullptr;
  std::optional<unsigned> lane = bestDim(space, std::nullopt);
  std::optional<unsigned> cross = lane ? bestDim(space, lane) : std::nullopt;
  if (!cross) return nullptr;
  SmallVector<unsigned> inputs, outputs;
  for (auto [i, access] : llvm::enumerate(space.inputs))
    if (isTurned(space, access, *lane, *cross)) inputs.push_back(i);
  for (auto [i, access] : llvm::enumerate(space.outputs))
    if (isTurned(space, access, *lane, *cross)) outputs.push_back(i);
  TiledDim laneTile = tileDim(space, *lane), crossTile = tileDim(space, *cross);
  auto form = std::make_unique<TransposeForm>(std::move(space), laneTile, crossTile, inputs, outputs);
  if (form->sharedBytes() > mostSharedBytes) return nullptr;
  return form;
}

} // namespace tensorjit::cuda
