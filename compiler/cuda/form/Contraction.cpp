// A block computes a tile of results. It walks the reduced dims in steps of 16: the operands of a step are read into
// registers while the step before is computed, and then lie in one of two stages of shared memory.
//
//   float sum[4][4] = {};
//   for (int k0 = 0; k0 < K + 16; k0 += 16) {
//     if (k0 < K) { a[..] = load(...); b[..] = load(...); }
//     if (k0 > 0) multiplyStage(sum, stage);
//     if (k0 < K) { stage = the other; stageQuads(stage, a); stageQuads(stage + ..., b); __syncthreads(); }
//   }
//   for (i) for (j) out0[...] = epilogue(sum[i][j]);
#include "cuda/form/Contraction.h"

#include "cuda/ScalarText.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using tensorjit::nest::Access;

namespace tensorjit::cuda {

/// Steps of the reduced dims that are staged at once.
static constexpr int64_t step = 16;
/// The block's threads are a square.
static constexpr int64_t side = 16;
/// What a large device has to fill.
static constexpr int64_t multiprocessors = 132;

namespace {

class ContractionForm : public Form {
public:
  ContractionForm(Contraction contraction, int64_t ownRows, int64_t ownColumns)
      : Form(contraction.space), c_(std::move(contraction)), ownRows_(ownRows), ownColumns_(ownColumns),
        varying_(body_, space_, c_.lanes, /*alsoReductions=*/true) {}

  int64_t blocks() const override { return c_.points(c_.batch) * rowTiles() * columnTiles(); }
  int64_t sharedBytes() const override { return 2 * step * (tileRows() + tileColumns()) * elementBytes(); }
  LogicalResult write(BodyText &text) override;

private:
  int64_t tileRows() const { return side * ownRows_; }
  int64_t tileColumns() const { return side * ownColumns_; }
  int64_t rowTiles() const { return llvm::divideCeil(c_.points(c_.rows), tileRows()); }
  int64_t columnTiles() const { return llvm::divideCeil(c_.points(c_.columns), tileColumns()); }
  int64_t elementBytes() const { return memoryBytes(kernel::ReduceOp(c_.sum).getType()); }
  std::string element() const { return scalarTypeText(kernel::ReduceOp(c_.sum).getType()); }
  /// Neighbouring results of a thread.
  static int64_t run(int64_t own) { return std::min<int64_t>(own, 4); }

  void defineTile(BodyText &text);
  void readOperand(BodyText &text, bool isA);
  void readQuad(BodyText &text, bool isA);
  LogicalResult writeResults(BodyText &text);
  LogicalResult writeRun(BodyText &text);

  Contraction c_;
  int64_t ownRows_, ownColumns_; ///< results of a thread
  VaryingValues varying_;
};

} // namespace

// A stage is [step][row], then [step][column]. Four steps are turned by 8 elements against the next four, so that
// neither writing an operand that was read along the reduced dims nor reading meets a bank twice.
const char *contractionPrelude() {
  return R"(// The four elements that each thread has of each 1024 of a tile go to shared memory: neighbours in a row of it or,
// of an operand that was read along the reduced dims, below one another.
template <int Tile, bool AlongReduced, int Quads, class T> __device__ void stageQuads(T *to, const Vec<T, 4> (&quads)[Quads]) {
#pragma unroll
  for (int q = 0; q < Quads; ++q) {
    const int quad = q * 256 + threadIdx.x;
    if (quad >= Tile * 4) return;
    if (AlongReduced) {
      const int at = quad / 4, k = quad % 4 * 4;
#pragma unroll
      for (int i = 0; i < 4; ++i) to[(k + i) * Tile + (at ^ k * 2)] = quads[q][i];
    } else {
      const int at = quad % (Tile / 4) * 4, k = quad / (Tile / 4);
      store(to + k * Tile + (at ^ k / 4 * 8), quads[q]);
    }
  }
}

// A thread's part of a row of a stage, in runs of up to four.
template <int Own, class T> __device__ void readRuns(T (&own)[Own], const T *row, int thread, int turn) {
  constexpr int width = Own < 4 ? Own : 4;
#pragma unroll
  for (int run = 0; run < Own / width; ++run) {
    const auto part = load<width>(row + ((run * 16 * width + thread * width) ^ turn));
#pragma unroll
    for (int i = 0; i < width; ++i) own[run * width + i] = part[i];
  }
}

__device__ inline float multiplyAdd(float a, float b, float c) { return fmaf(a, b, c); }
__device__ inline double multiplyAdd(double a, double b, double c) { return fma(a, b, c); }

// Adds the products of 16 steps; the threads are 16 by 16.
template <int Rows, int Columns, class T> __device__ void multiplyStage(T (&sum)[Rows][Columns], const T *stage) {
  // More of it unrolled is no faster and takes long to compile.
#pragma unroll 1
  for (int k = 0; k < 16; k += 4)
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      T rows[Rows], columns[Columns];
      readRuns(rows, stage + (k + i) * 16 * Rows, threadIdx.x / 16, k * 2);
      readRuns(columns, stage + 256 * Rows + (k + i) * 16 * Columns, threadIdx.x % 16, k * 2);
#pragma unroll
      for (int m = 0; m < Rows; ++m)
#pragma unroll
        for (int n = 0; n < Columns; ++n) sum[m][n] = multiplyAdd(rows[m], columns[n], sum[m][n]);
    }
}

)";
}

static std::string str(int64_t value) { return std::to_string(value); }

void ContractionForm::defineTile(BodyText &text) {
  std::string type = std::string("const ") + text.index().type() + " ";
  std::string columns = str(columnTiles()), rows = str(rowTiles());
  text.line(type + "n0 = block % " + columns + " * " + str(tileColumns()) + ";");
  text.line(type + "m0 = block / " + columns + " % " + rows + " * " + str(tileRows()) + ";");
  text.defineDims(c_.batch, "block / " + str(columnTiles() * rowTiles()));
  text.line("const int tx = threadIdx.x % " + str(side) + ", ty = threadIdx.x / " + str(side) + ";");
  text.line(element() + " *const first = reinterpret_cast<" + element() + " *>(shared), *stage = first;");
}

/// Four elements of an operand into registers; zeros behind the end.
void ContractionForm::readQuad(BodyText &text, bool isA) {
  unsigned input = isA ? c_.a : c_.b;
  const Access &access = space_.inputs[input];
  const Staging &staging = isA ? c_.stageA : c_.stageB;
  ArrayRef<unsigned> own = isA ? c_.rows : c_.columns;
  std::string ownCount = text.index().number(c_.points(own)), count = text.index().number(c_.points(c_.reduced));
  std::string target = std::string(isA ? "a" : "b") + "[q]", at = isA ? "m" : "n";
  if (staging.isVector) {
    text.open("if (" + at + " < " + ownCount + " && k < " + count + ")");
    text.defineDims(own, at);
    text.defineDims(c_.reduced, "k");
    std::string value = "load<4>(in" + str(input) + " + " + inParentheses(text.index().text(access.address)) + ")";
    std::string inside = text.index().inside(access);
    if (!inside.empty())
      value = inside + " ? " + value + " : Vec<" + element() + ", 4>::all(" + constantText(access.pad) + ")";
    text.line(target + " = " + value + ";");
    text.close();
    return;
  }
  std::string type = std::string("const ") + text.index().type() + " ";
  text.line("#pragma unroll");
  text.open("for (int i = 0; i < 4; ++i)");
  text.line(type + "own = " + at + (staging.alongReduced ? "" : " + i") + ", reduced = k" +
            (staging.alongReduced ? " + i" : "") + ";");
  text.open("if (own < " + ownCount + " && reduced < " + count + ")");
  text.defineDims(own, "own");
  text.defineDims(c_.reduced, "reduced");
  text.line(target + "[i] = " + text.loadText(input) + ";");
  text.close();
  text.close();
}

/// Around what a thread does for each of its quads `q` of a tile.
static void openQuads(BodyText &text, int64_t tile) {
  int64_t quads = tile * step / 4;
  if (quads < blockThreads) {
    text.open("if (threadIdx.x < " + str(quads) + ")");
    text.line("const int q = 0, quad = threadIdx.x;");
    return;
  }
  text.line("#pragma unroll");
  text.open("for (int q = 0; q < " + str(quads / blockThreads) + "; ++q)");
  text.line("const int quad = q * " + str(blockThreads) + " + threadIdx.x;");
}

void ContractionForm::readOperand(BodyText &text, bool isA) {
  const Staging &staging = isA ? c_.stageA : c_.stageB;
  int64_t tile = isA ? tileRows() : tileColumns();
  std::string type = std::string("const ") + text.index().type() + " ", name = isA ? "m" : "n";
  openQuads(text, tile);
  if (staging.alongReduced) {
    text.line(type + name + " = " + name + "0 + quad / " + str(step / 4) + ", k = k0 + quad % " + str(step / 4) +
              " * 4;");
  } else {
    text.line(type + name + " = " + name + "0 + quad % " + str(tile / 4) + " * 4, k = k0 + quad / " + str(tile / 4) +
              ";");
  }
  text.line((isA ? "a" : "b") + std::string("[q] = Vec<") + element() + ", 4>::all(0);");
  readQuad(text, isA);
  text.close();
}

/// The epilogue of neighbouring results, from column `n`.
LogicalResult ContractionForm::writeRun(BodyText &text) {
  const Lanes &lanes = c_.lanes;
  kernel::ReduceOp sum = c_.sum;
  int64_t width = run(ownColumns_);
  SmallVector<Value> roots(nest().getYield().getOperands());
  SmallVector<unsigned> outer(c_.columns);
  if (lanes.width > 1) outer.pop_back();
  else text.open("for (int j = 0; j < " + str(width) + "; ++j)");
  std::string column = lanes.width > 1 ? "n / " + str(width) : "n + j";
  if (lanes.width == 1) text.line("if (n + j >= " + text.index().number(c_.points(c_.columns)) + ") break;");
  text.defineDims(outer, column);
  for (unsigned input : undefinedInputs(text, roots)) {
    Value argument = nest().getBlock()->getArgument(input);
    bool isOperand = input == c_.a || input == c_.b;
    if (!isOperand && varying_.contains(argument) && lanes.isVector(space_, space_.inputs[input]))
      text.setName(argument, loadVector(text, lanes, input));
  }
  auto isUniform = [&](Value value) { return !varying_.contains(value) && !variesOverReduction(value); };
  for (Value root : roots)
    if (failed(text.define(root, isUniform))) return failure();
  SmallVector<std::string> vectors;
  for (unsigned i = 0; i < space_.outputs.size(); ++i)
    vectors.push_back(lanes.isVector(space_, space_.outputs[i]) ? declareVector(text, lanes, i) : "");
  if (lanes.width > 1) {
    text.line("#pragma unroll");
    text.open(lanes.loop());
  }
  text.setName(sum.getResult(), "sum[i][g * " + str(width) + " + " + (lanes.width > 1 ? lanes.index() : "j") + "]");
  for (auto [i, root] : llvm::enumerate(roots)) {
    if (failed(text.define(root))) return failure();
    if (vectors[i].empty()) text.store(i, text.nameOf(root));
    else text.line(vectors[i] + " = " + text.nameOf(root) + ";");
  }
  if (lanes.width > 1) text.close();
  for (unsigned i = 0; i < space_.outputs.size(); ++i)
    if (!vectors[i].empty()) storeVector(text, lanes, i);
  if (lanes.width == 1) text.close();
  return success();
}

LogicalResult ContractionForm::writeResults(BodyText &text) {
  std::string type = std::string("const ") + text.index().type() + " ";
  auto at = [&](const char *first, const char *group, const char *thread, int64_t width) {
    return std::string(first) + " + " + group + " * " + str(side * width) + " + " + thread + " * " + str(width);
  };
  int64_t rows = run(ownRows_), columns = run(ownColumns_);
  text.line("#pragma unroll");
  text.open("for (int i = 0; i < " + str(ownRows_) + "; ++i)");
  text.line(type + "m = " + at("m0", ("i / " + str(rows)).c_str(), "ty", rows) + " + i % " + str(rows) + ";");
  text.line("if (m >= " + text.index().number(c_.points(c_.rows)) + ") break;");
  text.defineDims(c_.rows, "m");
  text.line("#pragma unroll");
  text.open("for (int g = 0; g < " + str(ownColumns_ / columns) + "; ++g)");
  text.line(type + "n = " + at("n0", "g", "tx", columns) + ";");
  text.line("if (n >= " + text.index().number(c_.points(c_.columns)) + ") break;");
  LogicalResult result = writeRun(text);
  text.close();
  text.close();
  return result;
}

LogicalResult ContractionForm::write(BodyText &text) {
  std::string count = text.index().number(c_.points(c_.reduced)), stepText = str(step), type = text.index().type();
  auto quads = [&](int64_t tile) { return str(std::max<int64_t>(1, tile * step / 4 / blockThreads)); };
  defineTile(text);
  text.line(element() + " sum[" + str(ownRows_) + "][" + str(ownColumns_) + "] = {};");
  text.line("Vec<" + element() + ", 4> a[" + quads(tileRows()) + "], b[" + quads(tileColumns()) + "];");
  text.open("for (" + type + " k0 = 0; k0 < " + count + " + " + stepText + "; k0 += " + stepText + ")");
  text.open("if (k0 < " + count + ")");
  readOperand(text, true);
  readOperand(text, false);
  text.close();
  std::string rows = str(tileRows()), columns = str(tileColumns());
  text.line("if (k0 > 0) multiplyStage(sum, stage);");
  text.open("if (k0 < " + count + ")");
  text.line("stage = stage == first ? first + " + str(step * (tileRows() + tileColumns())) + " : first;");
  auto stageQuads = [&](const Staging &staging, const std::string &tile, const std::string &to, const char *quads) {
    text.line("stageQuads<" + tile + ", " + (staging.alongReduced ? "true" : "false") + ">(" + to + ", " + quads +
              ");");
  };
  stageQuads(c_.stageA, rows, "stage", "a");
  stageQuads(c_.stageB, columns, "stage + " + str(step * tileRows()), "b");
  text.line("__syncthreads();");
  text.close();
  text.close();
  return writeResults(text);
}

// About the time of a tile's multiply-adds and accesses, over all tiles that a multiprocessor gets.
static double cost(const Contraction &c, int64_t rows, int64_t columns) {
  int64_t tiles = c.points(c.batch) * llvm::divideCeil(c.points(c.rows), side * rows) *
                  llvm::divideCeil(c.points(c.columns), side * columns);
  double tile = double(rows * columns) + 1.5 * double(rows + columns) + 2;
  return tile * double(llvm::divideCeil(tiles, multiprocessors));
}

std::unique_ptr<Form> makeContractionForm(const nest::Space &space) {
  auto c = matchContraction(space);
  if (!c) return nullptr;
  bool isDouble = c->sum.getType().isF64();
  int64_t bestRows = 0, bestColumns = 0;
  double best = 0;
  for (int64_t rows : {8, 4, 2})
    for (int64_t columns : {8, 4, 2}) {
      if (isDouble && (rows > 4 || columns > 4)) continue;
      double now = cost(*c, rows, columns);
      if (bestRows && now >= best) continue;
      best = now;
      bestRows = rows;
      bestColumns = columns;
    }
  unsigned column = c->columns.back();
  int64_t width = std::min<int64_t>(bestColumns, 4);
  bool isWhole = c->space.sizes[column] % width == 0 && vectorWidth(c->space, column) >= width;
  c->lanes = Lanes::split(c->space, column, isWhole ? width : 1);
  if (isWhole) c->columns.push_back(c->lanes.inner);
  return std::make_unique<ContractionForm>(std::move(*c), bestRows, bestColumns);
}

} // namespace tensorjit::cuda
