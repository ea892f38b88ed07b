#include "cuda/form/TiledContraction.h"

#include "cuda/ScalarText.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using tensorjit::nest::Access;

namespace tensorjit::cuda {

static std::string str(int64_t value) { return std::to_string(value); }

TiledContraction::TiledContraction(Contraction contraction, ContractionTile tile, int64_t step)
    : Form(contraction.space), c_(std::move(contraction)), tile_(tile), step_(step),
      varying_(body_, space_, c_.lanes, /*alsoReductions=*/true) {}

int64_t TiledContraction::blocks() const {
  return c_.points(c_.batch) * llvm::divideCeil(c_.points(c_.rows), tile_.rows) *
         llvm::divideCeil(c_.points(c_.columns), tile_.columns);
}

int64_t TiledContraction::sharedBytes() const {
  return 2 * step_ * (tile_.rows + tile_.columns) * memoryBytes(space_.inputs[c_.a].element);
}

std::string TiledContraction::sumType() const { return scalarTypeText(kernel::ReduceOp(c_.sum).getType()); }

std::string TiledContraction::operandType() const { return memoryTypeText(space_.inputs[c_.a].element); }

void TiledContraction::defineTile(BodyText &text) {
  std::string type = std::string("const ") + text.index().type() + " ";
  int64_t columnTiles = llvm::divideCeil(c_.points(c_.columns), tile_.columns);
  int64_t rowTiles = llvm::divideCeil(c_.points(c_.rows), tile_.rows);
  text.line(type + "n0 = block % " + str(columnTiles) + " * " + str(tile_.columns) + ";");
  text.line(type + "m0 = block / " + str(columnTiles) + " % " + str(rowTiles) + " * " + str(tile_.rows) + ";");
  text.defineDims(c_.batch, "block / " + str(columnTiles * rowTiles));
  defineThread(text);
  text.line(operandType() + " *const first = reinterpret_cast<" + operandType() + " *>(shared), *stage = first;");
}

/// `body` for each of `count` neighbouring points of `dims`: the `i`th from number `first` on, which is inside and a
/// multiple of `count`.
void TiledContraction::forRun(BodyText &text, ArrayRef<unsigned> dims, const std::string &first, int64_t count,
                              llvm::function_ref<void()> body) {
  std::string type = std::string("const ") + text.index().type() + " ";
  int64_t size = space_.sizes[dims.back()];
  bool isWhole = size % count == 0; // the points differ in the last dim alone, and all are inside
  if (isWhole) {
    text.line(type + "last = " + first + (dims.size() > 1 ? " % " + text.index().number(size) : "") + ";");
    text.defineDims(dims.drop_back(), first + " / " + text.index().number(size));
  }
  text.line("#pragma unroll");
  text.open("for (int i = 0; i < " + str(count) + "; ++i)");
  if (isWhole) {
    text.line(type + "d" + str(dims.back()) + " = last + i;");
  } else {
    text.line(type + "point = " + first + " + i;");
    text.open("if (point < " + text.index().number(c_.points(dims)) + ")");
    text.defineDims(dims, "point");
  }
  body();
  if (!isWhole) text.close();
  text.close();
}

/// Neighbouring elements of an operand into registers; zeros behind the end.
void TiledContraction::readVector(BodyText &text, bool isA) {
  unsigned input = isA ? c_.a : c_.b;
  const Access &access = space_.inputs[input];
  ArrayRef<unsigned> own = isA ? c_.rows : c_.columns, reduced = c_.reduced;
  std::string ownCount = text.index().number(c_.points(own)), count = text.index().number(c_.points(reduced));
  std::string target = std::string(isA ? "a" : "b") + "[q]", at = isA ? "m" : "n", width = str(c_.unit);
  text.open("if (" + at + " < " + ownCount + " && k < " + count + ")");
  if (staging(isA).isVector) {
    text.defineDims(own, at);
    text.defineDims(reduced, "k");
    std::string value =
        "load<" + width + ">(in" + str(input) + " + " + inParentheses(text.index().text(access.address)) + ")";
    std::string inside = text.index().inside(access);
    if (!inside.empty())
      value = inside + " ? " + value + " : Vec<" + operandType() + ", " + width + ">::all(" + constantText(access.pad) +
              ")";
    text.line(target + " = " + value + ";");
  } else {
    bool alongReduced = staging(isA).alongReduced;
    text.defineDims(alongReduced ? own : reduced, alongReduced ? at : "k");
    forRun(text, alongReduced ? reduced : own, alongReduced ? "k" : at, c_.unit,
           [&] { text.line(target + "[i] = " + text.loadText(input) + ";"); });
  }
  text.close();
}

void TiledContraction::readOperand(BodyText &text, bool isA) {
  int64_t tile = isA ? tile_.rows : tile_.columns, unit = c_.unit;
  std::string type = std::string("const ") + text.index().type() + " ", name = isA ? "m" : "n";
  if (vectors(tile) < blockThreads) {
    text.open("if (threadIdx.x < " + str(vectors(tile)) + ")");
    text.line("const int q = 0, quad = threadIdx.x;");
  } else {
    text.line("#pragma unroll");
    text.open("for (int q = 0; q < " + str(vectors(tile) / blockThreads) + "; ++q)");
    text.line("const int quad = q * " + str(blockThreads) + " + threadIdx.x;");
  }
  std::string steps = str(step_ / unit), own = str(tile / unit), width = " * " + str(unit);
  if (staging(isA).alongReduced)
    text.line(type + name + " = " + name + "0 + quad / " + steps + ", k = k0 + quad % " + steps + width + ";");
  else text.line(type + name + " = " + name + "0 + quad % " + own + width + ", k = k0 + quad / " + own + ";");
  text.line((isA ? "a" : "b") + std::string("[q] = Vec<") + operandType() + ", " + str(unit) + ">::all(" +
            (c_.isHalf() ? "{}" : "0") + ");");
  readVector(text, isA);
  text.close();
}

/// The epilogue of neighbouring results, from column `n`.
LogicalResult TiledContraction::writeRun(BodyText &text, const ThreadResults &own) {
  const Lanes &lanes = c_.lanes;
  kernel::ReduceOp sum = c_.sum;
  SmallVector<Value> roots(nest().getYield().getOperands());
  SmallVector<unsigned> outer(c_.columns);
  if (lanes.width > 1) outer.pop_back();
  else text.open("for (int j = 0; j < " + str(own.width) + "; ++j)");
  std::string column = lanes.width > 1 ? "n / " + str(own.width) : "n + j";
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
  text.setName(sum.getResult(), "sum[h * " + str(own.rowWidth) + " + i][g * " + str(own.width) + " + " +
                                    (lanes.width > 1 ? lanes.index() : "j") + "]");
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

LogicalResult TiledContraction::writeResults(BodyText &text) {
  ThreadResults own = results();
  std::string type = std::string("const ") + text.index().type() + " ";
  text.line("#pragma unroll");
  text.open("for (int h = 0; h < " + str(own.rowGroups) + "; ++h)");
  text.line(type + "m = " + own.row + ";");
  text.line("if (m >= " + text.index().number(c_.points(c_.rows)) + ") break;");
  LogicalResult result = success();
  forRun(text, c_.rows, "m", own.rowWidth, [&] {
    text.line("#pragma unroll");
    text.open("for (int g = 0; g < " + str(own.groups) + "; ++g)");
    text.line(type + "n = " + own.column + ";");
    text.line("if (n >= " + text.index().number(c_.points(c_.columns)) + ") break;");
    result = writeRun(text, own);
    text.close();
  });
  text.close();
  return result;
}

LogicalResult TiledContraction::write(BodyText &text) {
  std::string count = text.index().number(c_.points(c_.reduced)), step = str(step_), type = text.index().type();
  ThreadResults own = results();
  auto registers = [&](int64_t tile) { return str(std::max<int64_t>(1, vectors(tile) / blockThreads)); };
  defineTile(text);
  text.line(sumType() + " sum[" + str(own.rowGroups * own.rowWidth) + "][" + str(own.groups * own.width) + "] = {};");
  text.line("Vec<" + operandType() + ", " + str(c_.unit) + "> a[" + registers(tile_.rows) + "], b[" +
            registers(tile_.columns) + "];");
  text.open("for (" + type + " k0 = 0; k0 < " + count + " + " + step + "; k0 += " + step + ")");
  text.open("if (k0 < " + count + ")");
  readOperand(text, true);
  readOperand(text, false);
  text.close();
  text.line("if (k0 > 0) " + multiplyFunction() + "(sum, stage);");
  text.open("if (k0 < " + count + ")");
  text.line("stage = stage == first ? first + " + str(step_ * (tile_.rows + tile_.columns)) + " : first;");
  text.line(stageFunction(true) + "(stage, a);");
  text.line(stageFunction(false) + "(stage + " + str(step_ * tile_.rows) + ", b);");
  text.line("__syncthreads();");
  text.close();
  text.close();
  finish(text);
  return writeResults(text);
}

std::unique_ptr<Form> makeContractionForm(const nest::Space &space) {
  auto contraction = matchContraction(space);
  if (!contraction) return nullptr;
  return contraction->isHalf() ? makeTensorCoreContraction(std::move(*contraction))
                               : makePlainContraction(std::move(*contraction));
}

} // namespace tensorjit::cuda
