// A thread has a few neighbouring points of a parallel dim, the lanes. Without reductions:
//
//   const Vec<float, 4> x0 = load<4>(in0 + (d0 * 64 + d1 * 4));
//   for (int d2 = 0; d2 < 4; ++d2) {
//     const float v0 = x0[d2] * 2;
//     y0[d2] = v0;
//   }
//   store(out0 + (d0 * 64 + d1 * 4), y0);
//
// With reductions each lane has its accumulators, and the thread walks the reduction dims, once for each phase. Where
// there are too few lanes to fill a device, `slices_` threads share the walk and combine theirs in shared memory.
#include "cuda/form/Form.h"
#include "cuda/form/Vectors.h"

#include "cuda/Reduction.h"
#include "cuda/ScalarText.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tensorjit::cuda {

/// Threads that hide a device's latencies; below, a reduction is shared out.
static constexpr int64_t enoughThreads = 1 << 16;
/// Terms of a float sum that join one accumulator.
static constexpr int64_t longestChain = 128;

namespace {

class LanesForm : public Form {
public:
  LanesForm(nest::Space space, Lanes lanes, SmallVector<unsigned> items, int64_t slices)
      : Form(std::move(space)), lanes_(lanes), items_(std::move(items)), slices_(slices),
        varying_(body_, space_, lanes_, /*alsoReductions=*/true) {}

  int64_t blocks() const override { return llvm::divideCeil(itemCount(), itemsOfABlock()); }
  int64_t sharedBytes() const override;
  LogicalResult write(BodyText &text) override;

private:
  int64_t itemCount() const { return space_.points(/*reductionDims=*/false) / lanes_.width; }
  int64_t itemsOfABlock() const { return blockThreads / slices_; }
  int64_t reductionPoints() const { return space_.points(/*reductionDims=*/true); }
  bool sumsInPieces() const { return reductionPoints() > longestChain * slices_; }

  void defineItem(BodyText &text);
  LogicalResult writeVisit(BodyText &text, unsigned phase);
  void openWalk(BodyText &text, ArrayRef<Operation *> reductions);
  void closeWalk(BodyText &text, ArrayRef<Operation *> reductions);
  void combineSlices(BodyText &text, Operation *reduction);
  LogicalResult loadInputs(BodyText &text, ArrayRef<Value> roots, bool reduced);
  LogicalResult writeLanes(BodyText &text, ArrayRef<Value> roots, ArrayRef<unsigned> outputs,
                           ArrayRef<Operation *> reductions);
  void forLanes(BodyText &text, llvm::function_ref<void()> body);

  Lanes lanes_;
  SmallVector<unsigned> items_; ///< parallel dims but the lanes, outermost first
  int64_t slices_;
  VaryingValues varying_;
};

} // namespace

static int64_t accumulatorBytes(Operation *op) {
  int64_t bytes = std::max<int64_t>(4, memoryBytes(op->getOperand(0).getType()));
  return isa<kernel::ArgReduceOp>(op) ? 16 : bytes;
}

int64_t LanesForm::sharedBytes() const {
  if (slices_ == 1) return 0;
  int64_t bytes = 0;
  for (Operation *op : body_.reductions()) bytes = std::max(bytes, accumulatorBytes(op));
  return bytes * lanes_.width * blockThreads;
}

void LanesForm::defineItem(BodyText &text) {
  std::string type = std::string("const ") + text.index().type() + " ";
  std::string count = text.index().number(itemCount());
  if (slices_ == 1) {
    text.line(type + "item = block * " + std::to_string(blockThreads) + " + threadIdx.x;");
    if (itemCount() % blockThreads) text.line("if (item >= " + count + ") return;");
  } else {
    std::string wide = std::to_string(itemsOfABlock());
    text.line("const int slice = threadIdx.x / " + wide + ";");
    text.line(type + "at = block * " + wide + " + threadIdx.x % " + wide + ";");
    // All threads stay for the barriers.
    text.line(type + "item = at < " + count + " ? at : " + text.index().number(itemCount() - 1) + ";");
  }
  text.defineDims(items_, "item");
}

void LanesForm::forLanes(BodyText &text, llvm::function_ref<void()> body) {
  if (lanes_.width == 1) return body();
  text.line("#pragma unroll");
  text.open(lanes_.loop());
  body();
  text.close();
}

// What does not differ between lanes, and vectors, of inputs that are `reduced`, or of those that are not.
LogicalResult LanesForm::loadInputs(BodyText &text, ArrayRef<Value> roots, bool reduced) {
  for (unsigned input : undefinedInputs(text, roots)) {
    Value argument = nest().getBlock()->getArgument(input);
    if (variesOverReduction(argument) != reduced || !varying_.contains(argument)) continue;
    if (lanes_.isVector(space_, space_.inputs[input])) text.setName(argument, loadVector(text, lanes_, input));
  }
  for (Value root : roots)
    if (failed(text.define(
            root, [&](Value value) { return !varying_.contains(value) && (reduced || !variesOverReduction(value)); })))
      return failure();
  for (kernel::ReadOp read : readyReads(text, roots)) {
    const nest::Access &access = space_.inputs[cast<BlockArgument>(read.getInput()).getArgNumber()];
    if (variesOverReduction(read.getValue()) == reduced && lanes_.isVector(space_, access))
      text.setName(read.getValue(), loadVector(text, lanes_, read));
  }
  return success();
}

LogicalResult LanesForm::writeLanes(BodyText &text, ArrayRef<Value> roots, ArrayRef<unsigned> outputs,
                                    ArrayRef<Operation *> reductions) {
  DenseMap<unsigned, std::string> vectors;
  for (unsigned output : outputs)
    if (lanes_.isVector(space_, space_.outputs[output])) vectors[output] = declareVector(text, lanes_, output);
  LogicalResult result = success();
  // Lanes read all before one writes: a result may lie where an input is.
  forLanes(text, [&] {
    for (Value root : roots)
      if (failed(text.define(root))) return void(result = failure());
    for (Operation *op : reductions) {
      SmallVector<std::string> operands;
      for (Value operand : op->getOperands()) operands.push_back(text.nameOf(operand));
      std::string target =
          (sumsInPieces() && isFloatSum(op) ? "part_" : "") + accumulator(op) + "[" + lanes_.index() + "]";
      text.line(target + " = " + combinerText(op) + "(" + target + ", " + contributionText(op, operands) + ");");
    }
    for (unsigned output : outputs) {
      std::string value = text.nameOf(yielded(output));
      if (vectors.contains(output)) text.line(vectors[output] + " = " + value + ";");
      else text.store(output, value);
    }
  });
  for (unsigned output : outputs)
    if (vectors.contains(output)) storeVector(text, lanes_, output);
  return result;
}

void LanesForm::openWalk(BodyText &text, ArrayRef<Operation *> reductions) {
  std::string type = text.index().type(), end = text.index().number(reductionPoints());
  std::string first = slices_ == 1 ? "0" : "slice", step = slices_ == 1 ? "1" : std::to_string(slices_);
  std::string width = std::to_string(lanes_.width);
  if (sumsInPieces() && llvm::any_of(reductions, isFloatSum)) {
    std::string piece = std::to_string(longestChain * slices_);
    text.open("for (" + type + " first = 0; first < " + end + "; first += " + piece + ")");
    text.line("const " + type + " end = first + " + piece + " < " + end + " ? first + " + piece + " : " + end + ";");
    for (Operation *op : reductions)
      if (isFloatSum(op)) text.line(accumulatorType(op) + " part_" + accumulator(op) + "[" + width + "] = {};");
    first = slices_ == 1 ? "first" : "first + slice";
    end = "end";
  }
  if (reductionPoints() <= 32) text.line("#pragma unroll");
  text.open("for (" + type + " r = " + first + "; r < " + end + "; r += " + step + ")");
  text.defineDims(space_.dims(/*reductionDims=*/true), "r");
}

void LanesForm::closeWalk(BodyText &text, ArrayRef<Operation *> reductions) {
  text.close();
  if (!sumsInPieces() || !llvm::any_of(reductions, isFloatSum)) return;
  forLanes(text, [&] {
    for (Operation *op : reductions)
      if (isFloatSum(op))
        text.line(accumulator(op) + "[" + lanes_.index() + "] += part_" + accumulator(op) + "[" + lanes_.index() +
                  "];");
  });
  text.close();
}

void LanesForm::combineSlices(BodyText &text, Operation *op) {
  if (slices_ == 1) return;
  text.line("combineSlices<" + std::to_string(itemsOfABlock()) + ">(" + accumulator(op) + ", shared, " +
            combinerText(op) + ");");
}

/// One walk over the reduction dims: the reductions of a phase, the index checks, and the results that vary over these
/// dims. Nothing where there is nothing to do.
LogicalResult LanesForm::writeVisit(BodyText &text, unsigned phase) {
  SmallVector<Operation *> reductions = body_.reductions(phase);
  SmallVector<unsigned> outputs;
  SmallVector<Value> roots;
  for (Operation *op : reductions) llvm::append_range(roots, op->getOperands());
  for (unsigned i = 0; i < space_.outputs.size(); ++i)
    if (isReducedAlong(i) && body_.info(yielded(i)).phase == phase) outputs.push_back(i);
  for (unsigned i : outputs) roots.push_back(yielded(i));
  for (kernel::CheckIndexOp check : body_.checks())
    if (body_.info(check.getResult()).phase == phase) roots.push_back(check.getResult());

  if (failed(loadInputs(text, roots, /*reduced=*/false))) return failure();
  auto isDone = [&](Value root) { return text.isDefined(root); };
  if (reductions.empty() && outputs.empty() && llvm::all_of(roots, isDone)) return success();
  for (Operation *op : reductions) {
    std::string start = startText(op), width = std::to_string(lanes_.width);
    text.line(accumulatorType(op) + " " + accumulator(op) + "[" + width + "];");
    forLanes(text, [&] {
      text.line(accumulator(op) + "[" + lanes_.index() +
                "] = " + (start[0] == '{' ? accumulatorType(op) + start : start) + ";");
    });
  }
  openWalk(text, reductions);
  if (failed(loadInputs(text, roots, /*reduced=*/true))) return failure();
  if (failed(writeLanes(text, roots, outputs, reductions))) return failure();
  closeWalk(text, reductions);
  for (Operation *op : reductions) {
    combineSlices(text, op);
    for (OpResult result : op->getResults())
      text.setName(result, "(" + resultText(result, accumulator(op) + "[" + lanes_.index() + "]") + ")");
  }
  return success();
}

LogicalResult LanesForm::write(BodyText &text) {
  defineItem(text);
  SmallVector<unsigned> outputs;
  SmallVector<Value> roots;
  if (body_.reductions().empty() && reductionPoints() == 1 && space_.dims(true).empty()) {
    for (kernel::CheckIndexOp check : body_.checks()) roots.push_back(check.getResult());
  } else {
    for (unsigned phase = 0; phase < body_.phaseCount(); ++phase)
      if (failed(writeVisit(text, phase))) return failure();
  }
  for (unsigned i = 0; i < space_.outputs.size(); ++i)
    if (!isReducedAlong(i)) outputs.push_back(i);
  for (unsigned i : outputs) roots.push_back(yielded(i));
  if (roots.empty()) return success();
  if (slices_ > 1) text.line("if (slice != 0 || at != item) return;");
  if (failed(loadInputs(text, roots, /*reduced=*/false))) return failure();
  return writeLanes(text, roots, outputs, {});
}

// The parallel dim that most bytes are contiguous along.
static std::optional<unsigned> chooseLaneDim(const nest::Space &space) {
  std::optional<unsigned> best;
  int64_t bestBytes = 0;
  for (unsigned dim : space.dims(/*reductionDims=*/false)) {
    int64_t bytes = 0;
    auto count = [&](const nest::Access &access, int64_t weight) {
      if (isContiguous(space, access, dim)) bytes += weight * memoryBytes(access.element) * space.sizes[dim];
    };
    for (const nest::Access &access : space.inputs) count(access, 1);
    for (const nest::Access &access : space.outputs) count(access, 2);
    if (bytes < bestBytes || (bytes == bestBytes && best)) continue;
    best = dim;
    bestBytes = bytes;
  }
  return best;
}

// Neighbouring threads are then neighbours in memory.
static void orderAlongMemory(const nest::Space &space, SmallVector<unsigned> &dims) {
  nest::LinearForm form = space.addressForm(space.outputs.front());
  llvm::stable_sort(dims, [&](unsigned x, unsigned y) { return form.coefficients[x] > form.coefficients[y]; });
}

std::unique_ptr<Form> makeLanesForm(nest::Space space) {
  std::optional<unsigned> dim = chooseLaneDim(space);
  int64_t points = space.points(/*reductionDims=*/false), reduced = space.points(/*reductionDims=*/true);
  bool reduces = !space.dims(/*reductionDims=*/true).empty();
  int64_t width = dim ? vectorWidth(space, *dim) : 1;
  if (reduces)
    while (width > 1 && points / width < enoughThreads) width /= 2;
  int64_t slices = 1;
  while (slices < 8 && slices * 8 <= reduced && points / width * slices < enoughThreads) slices *= 2;
  // Few points: the block's threads take more of each.
  while (slices > 1 && slices < 64 && slices * 8 <= reduced && blockThreads / slices >= 2 * points / width) slices *= 2;
  Lanes lanes;
  if (dim) lanes = Lanes::split(space, *dim, width);
  SmallVector<unsigned> items;
  for (unsigned d : space.dims(/*reductionDims=*/false))
    if (width == 1 || d != lanes.inner) items.push_back(d);
  orderAlongMemory(space, items);
  return std::make_unique<LanesForm>(std::move(space), lanes, std::move(items), slices);
}

} // namespace tensorjit::cuda
