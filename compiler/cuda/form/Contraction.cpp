// A block computes a tile of results. It walks the reduced dims in steps of 16: the operands of a step are read into
// registers while the step before is computed, and then lie in shared memory, [step][row] and [step][column]. There a
// row of four steps is turned by 8 elements against the next (`^ k / 4 * 8`), so that neither writing an operand that
// is read along the reduced dims nor reading meets a bank twice.
//
//   float sum[4][4] = {};
//   for (int k0 = 0; k0 < K + 16; k0 += 16) {
//     if (k0 < K) { a[..] = load(...); b[..] = load(...); }
//     if (k0 > 0) for (k) for (i) for (j) sum[i][j] = fmaf(rows[i], columns[j], sum[i][j]);
//     if (k0 < K) { store a, b; __syncthreads(); }
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
  void stageOperand(BodyText &text, bool isA);
  void multiply(BodyText &text);
  LogicalResult writeResults(BodyText &text);
  LogicalResult writeRun(BodyText &text);

  Contraction c_;
  int64_t ownRows_, ownColumns_; ///< results of a thread
  VaryingValues varying_;
};

} // namespace

static std::string str(int64_t value) { return std::to_string(value); }

void ContractionForm::defineTile(BodyText &text) {
  std::string type = std::string("const ") + text.index().type() + " ";
  std::string columns = str(columnTiles()), rows = str(rowTiles());
  text.line(type + "n0 = block % " + columns + " * " + str(tileColumns()) + ";");
  text.line(type + "m0 = block / " + columns + " % " + rows + " * " + str(tileRows()) + ";");
  text.defineDims(c_.batch, "block / " + str(columnTiles() * rowTiles()));
  text.line("const int tx = threadIdx.x % " + str(side) + ", ty = threadIdx.x / " + str(side) + ";");
  text.line(element() + " *stage = reinterpret_cast<" + element() + " *>(shared);");
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

void ContractionForm::stageOperand(BodyText &text, bool isA) {
  const Staging &staging = isA ? c_.stageA : c_.stageB;
  int64_t tile = isA ? tileRows() : tileColumns();
  std::string name = isA ? "a" : "b", to = isA ? "stageA" : "stageB";
  openQuads(text, tile);
  if (staging.alongReduced) {
    text.line("const int at = quad / " + str(step / 4) + ", k = quad % " + str(step / 4) + " * 4;");
    text.line("#pragma unroll");
    text.line("for (int i = 0; i < 4; ++i) " + to + "[(k + i) * " + str(tile) + " + (at ^ k / 4 * 8)] = " + name +
              "[q][i];");
  } else {
    text.line("const int at = quad % " + str(tile / 4) + " * 4, k = quad / " + str(tile / 4) + ";");
    text.line("store(" + to + " + k * " + str(tile) + " + (at ^ k / 4 * 8), " + name + "[q]);");
  }
  text.close();
}

void ContractionForm::multiply(BodyText &text) {
  auto readRun = [&](const char *name, const char *thread, const char *from, int64_t own, int64_t tile) {
    int64_t width = run(own);
    text.line("#pragma unroll");
    text.open("for (int g = 0; g < " + str(own / width) + "; ++g)");
    text.line("const auto part = load<" + str(width) + ">(" + from + " + (k + i) * " + str(tile) + " + ((g * " +
              str(side * width) + " + " + thread + " * " + str(width) + ") ^ k * 2));");
    text.line("#pragma unroll");
    text.line("for (int j = 0; j < " + str(width) + "; ++j) " + name + "[g * " + str(width) + " + j] = part[j];");
    text.close();
  };
  // More of it unrolled is no faster and takes long to compile.
  text.line("#pragma unroll 1");
  text.open("for (int k = 0; k < " + str(step) + "; k += 4)");
  text.line("#pragma unroll");
  text.open("for (int i = 0; i < 4; ++i)");
  text.line(element() + " rows[" + str(ownRows_) + "], columns[" + str(ownColumns_) + "];");
  readRun("rows", "ty", "stageA", ownRows_, tileRows());
  readRun("columns", "tx", "stageB", ownColumns_, tileColumns());
  text.line("#pragma unroll");
  text.line("for (int m = 0; m < " + str(ownRows_) + "; ++m)");
  text.line("#pragma unroll");
  text.line("  for (int n = 0; n < " + str(ownColumns_) +
            "; ++n) sum[m][n] = " + (element() == "float" ? "fmaf" : "fma") + "(rows[m], columns[n], sum[m][n]);");
  text.close();
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
  text.line("int side = 0;");
  text.open("for (" + type + " k0 = 0; k0 < " + count + " + " + stepText + "; k0 += " + stepText + ")");
  text.open("if (k0 < " + count + ")");
  readOperand(text, true);
  readOperand(text, false);
  text.close();
  std::string stageElements = str(step * (tileRows() + tileColumns())), stageA = str(step * tileRows());
  auto defineStage = [&] {
    text.line(element() + " *stageA = stage + side * " + stageElements + ", *stageB = stageA + " + stageA + ";");
  };
  text.open("if (k0 > 0)");
  defineStage();
  multiply(text);
  text.close();
  text.open("if (k0 < " + count + ")");
  text.line("side ^= 1;");
  defineStage();
  stageOperand(text, true);
  stageOperand(text, false);
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
