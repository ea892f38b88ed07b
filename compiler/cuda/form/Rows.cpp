// Neighbouring threads, a group, walk along a row: the reduction dims of one point. What a later phase needs again
// stays in registers where the row fits, so that memory is read once:
//
//   float k0[2][4], a0 = -inf;
//   for (int i = 0; i < 2; ++i) {
//     const int r = i * 32 + thread;
//     const Vec<float, 4> x0 = load<4>(in0 + (d0 * 256 + r * 4));
//     for (int d2 = 0; d2 < 4; ++d2) { const float v0 = x0[d2]; k0[i][d2] = v0; a0 = Max()(a0, v0); }
//   }
//   a0 = groupReduce<32>(a0, shared, Max());
//   for (int i = 0; i < 2; ++i) ... k0[i][d2] - a0 ...
//
// A longer row is read again in each phase.
#include "cuda/form/Form.h"
#include "cuda/form/Vectors.h"

#include "cuda/Reduction.h"
#include "cuda/ScalarText.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tensorjit::cuda {

/// Terms of a float sum that join one accumulator.
static constexpr int64_t longestChain = 128;
/// Words of a row that a thread keeps.
static constexpr int64_t mostKeptWords = 64;
/// Elements of a row that a thread has, where there are threads for that.
static constexpr int64_t elementsOfAThread = 8;

namespace {

class RowsForm : public Form {
public:
  RowsForm(nest::Space space, Lanes lanes, SmallVector<unsigned> walk)
      : Form(std::move(space)), lanes_(lanes), walk_(std::move(walk)),
        varying_(body_, space_, lanes_, /*alsoReductions=*/false) {
    // Eight threads read whole sectors of a row; more where they would have too much of it each.
    while (group_ < vectors() && group_ < blockThreads &&
           (group_ < 8 || group_ * elementsOfAThread < vectors() * lanes_.width))
      group_ *= 2;
    findKept();
  }

  int64_t blocks() const override { return llvm::divideCeil(rows(), rowsOfABlock()); }
  int64_t sharedBytes() const override { return group_ > 32 ? blockThreads / 32 * 16 : 0; }
  LogicalResult write(BodyText &text) override;

private:
  int64_t rows() const { return space_.points(/*reductionDims=*/false); }
  int64_t rowsOfABlock() const { return blockThreads / group_; }
  int64_t vectors() const { return space_.points(/*reductionDims=*/true) / lanes_.width; }
  int64_t steps() const { return llvm::divideCeil(vectors(), group_); }
  bool sumsInPieces() const { return !keeps_ && steps() * lanes_.width > longestChain; }

  SmallVector<unsigned> outputsOf(unsigned phase) const;
  SmallVector<Value> rootsOf(unsigned phase) const;
  void findKept();
  void defineRow(BodyText &text);
  LogicalResult writeVisit(BodyText &text, unsigned phase);
  LogicalResult writeStep(BodyText &text, unsigned phase, ArrayRef<Value> roots);
  LogicalResult writeLanes(BodyText &text, unsigned phase, ArrayRef<Value> roots);
  void accumulate(BodyText &text, Operation *reduction);
  std::string keptName(Value value) const {
    return "k" + std::to_string(kept_.lookup(value).number) + "[i][" + lanes_.index() + "]";
  }

  struct Kept {
    unsigned number, phase;
  };

  Lanes lanes_;
  SmallVector<unsigned> walk_; ///< reduction dims but the lanes, outermost first
  VaryingValues varying_;
  int64_t group_ = 1;
  bool keeps_ = true;
  llvm::MapVector<Value, Kept> kept_; ///< by the phase that computes it
};

} // namespace

SmallVector<unsigned> RowsForm::outputsOf(unsigned phase) const {
  SmallVector<unsigned> outputs;
  for (unsigned i = 0; i < space_.outputs.size(); ++i)
    if (isReducedAlong(i) && body_.info(yielded(i)).phase == phase) outputs.push_back(i);
  return outputs;
}

SmallVector<Value> RowsForm::rootsOf(unsigned phase) const {
  SmallVector<Value> roots;
  for (Operation *op : body_.reductions(phase)) llvm::append_range(roots, op->getOperands());
  for (unsigned output : outputsOf(phase)) roots.push_back(yielded(output));
  for (kernel::CheckIndexOp check : body_.checks())
    if (body_.info(check.getResult()).phase == phase) roots.push_back(check.getResult());
  return roots;
}

// What one phase computes and a later one uses.
void RowsForm::findKept() {
  DenseMap<Value, unsigned> computed;
  int64_t words = 0;
  auto keep = [&](Value value, unsigned phase) {
    if (!kept_.insert({value, Kept{unsigned(kept_.size()), phase}}).second) return;
    words += llvm::divideCeil(memoryBytes(value.getType()), 4);
  };
  for (unsigned phase = 0; phase < body_.phaseCount(); ++phase) {
    SmallVector<Value> work = rootsOf(phase);
    while (!work.empty()) {
      Value value = work.pop_back_val();
      if (!variesOverReduction(value)) continue;
      auto [known, isNew] = computed.try_emplace(value, phase);
      if (!isNew) {
        if (known->second < phase) keep(value, known->second);
        continue;
      }
      if (Operation *op = value.getDefiningOp()) work.append(op->operand_begin(), op->operand_end());
    }
  }
  keeps_ = words * steps() * lanes_.width <= mostKeptWords && steps() * lanes_.width <= longestChain;
  if (!keeps_) kept_.clear();
}

void RowsForm::defineRow(BodyText &text) {
  std::string type = std::string("const ") + text.index().type() + " ", count = text.index().number(rows());
  std::string own = std::to_string(group_);
  if (group_ == blockThreads) {
    text.line("const int thread = threadIdx.x;");
    text.line(type + "row = block;");
  } else {
    text.line("const int thread = threadIdx.x % " + own + ";");
    text.line(type + "at = block * " + std::to_string(rowsOfABlock()) + " + threadIdx.x / " + own + ";");
    // All threads stay for what they do together.
    text.line(type + "row = at < " + count + " ? at : " + text.index().number(rows() - 1) + ";");
  }
  text.defineDims(space_.dims(/*reductionDims=*/false), "row");
}

void RowsForm::accumulate(BodyText &text, Operation *op) {
  SmallVector<std::string> operands;
  for (Value operand : op->getOperands()) operands.push_back(text.nameOf(operand));
  std::string target = (sumsInPieces() && isFloatSum(op) ? "part_" : "") + accumulator(op);
  text.line(target + " = " + combinerText(op) + "(" + target + ", " + contributionText(op, operands) + ");");
}

LogicalResult RowsForm::writeLanes(BodyText &text, unsigned phase, ArrayRef<Value> roots) {
  SmallVector<unsigned> outputs = outputsOf(phase);
  DenseMap<unsigned, std::string> vectors;
  for (unsigned output : outputs)
    if (lanes_.isVector(space_, space_.outputs[output])) vectors[output] = declareVector(text, lanes_, output);
  if (lanes_.width > 1) {
    text.line("#pragma unroll");
    text.open(lanes_.loop());
  }
  for (auto &[value, kept] : kept_)
    if (kept.phase < phase) text.setName(value, keptName(value));
  for (Value root : roots)
    if (failed(text.define(root))) return failure();
  for (auto &[value, kept] : kept_)
    if (kept.phase == phase) {
      if (failed(text.define(value))) return failure();
      text.line(keptName(value) + " = " + text.nameOf(value) + ";");
    }
  for (Operation *op : body_.reductions(phase)) accumulate(text, op);
  for (unsigned output : outputs) {
    std::string value = text.nameOf(yielded(output));
    if (!vectors.contains(output)) text.store(output, value);
    else text.line(vectors[output] + " = " + value + ";");
  }
  if (lanes_.width > 1) text.close();
  for (unsigned output : outputs)
    if (vectors.contains(output)) storeVector(text, lanes_, output);
  return success();
}

LogicalResult RowsForm::writeStep(BodyText &text, unsigned phase, ArrayRef<Value> roots) {
  text.defineDims(walk_, "r");
  auto isKept = [&](Value value) {
    auto kept = kept_.find(value);
    return kept != kept_.end() && kept->second.phase < phase;
  };
  // What is kept hides what it was made of.
  SmallVector<Value> work(roots);
  llvm::DenseSet<Value> seen;
  SmallVector<unsigned> inputs;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (isKept(value) || text.isDefined(value) || !seen.insert(value).second) continue;
    if (auto read = value.getDefiningOp<kernel::ReadOp>()) llvm::append_range(work, read.getPositions());
    else if (Operation *op = value.getDefiningOp()) work.append(op->operand_begin(), op->operand_end());
    else inputs.push_back(cast<BlockArgument>(value).getArgNumber());
  }
  llvm::sort(inputs);
  for (unsigned input : inputs) {
    Value argument = nest().getBlock()->getArgument(input);
    if (varying_.contains(argument) && lanes_.isVector(space_, space_.inputs[input]))
      text.setName(argument, loadVector(text, lanes_, input));
  }
  return writeLanes(text, phase, roots);
}

/// One walk over the row.
LogicalResult RowsForm::writeVisit(BodyText &text, unsigned phase) {
  SmallVector<Value> roots = rootsOf(phase);
  SmallVector<Operation *> reductions = body_.reductions(phase);
  auto isHere = [&](Value value) { return !variesOverReduction(value); };
  for (Value root : roots)
    if (failed(text.define(root, isHere))) return failure();
  auto isDone = [&](Value root) { return text.isDefined(root); };
  if (reductions.empty() && outputsOf(phase).empty() && llvm::all_of(roots, isDone)) return success();

  for (Operation *op : reductions) text.line(accumulatorType(op) + " " + accumulator(op) + " = " + startText(op) + ";");
  std::string type = text.index().type(), end = text.index().number(vectors()), own = std::to_string(group_);
  if (keeps_) {
    for (auto &[value, kept] : kept_)
      if (kept.phase == phase)
        text.line(scalarTypeText(value.getType()) + " k" + std::to_string(kept.number) + "[" + std::to_string(steps()) +
                  "][" + std::to_string(lanes_.width) + "];");
    text.line("#pragma unroll");
    text.open("for (int i = 0; i < " + std::to_string(steps()) + "; ++i)");
    text.line("const " + type + " r = i * " + own + " + thread;");
    bool isWhole = vectors() % group_ == 0;
    if (!isWhole) text.open("if (r < " + end + ")");
    if (failed(writeStep(text, phase, roots))) return failure();
    if (!isWhole) text.close();
    text.close();
  } else {
    bool pieces = sumsInPieces() && llvm::any_of(reductions, isFloatSum);
    std::string piece = std::to_string(longestChain / lanes_.width * group_);
    if (pieces) {
      text.open("for (" + type + " first = 0; first < " + end + "; first += " + piece + ")");
      text.line("const " + type + " end = first + " + piece + " < " + end + " ? first + " + piece + " : " + end + ";");
      for (Operation *op : reductions)
        if (isFloatSum(op)) text.line(accumulatorType(op) + " part_" + accumulator(op) + " = 0;");
    }
    text.open("for (" + type + " r = " + (pieces ? "first + thread; r < end" : "thread; r < " + end) + "; r += " + own +
              ")");
    if (failed(writeStep(text, phase, roots))) return failure();
    text.close();
    if (pieces) {
      for (Operation *op : reductions)
        if (isFloatSum(op)) text.line(accumulator(op) + " += part_" + accumulator(op) + ";");
      text.close();
    }
  }
  for (Operation *op : reductions) {
    if (group_ > 1)
      text.line(accumulator(op) + " = groupReduce<" + own + ">(" + accumulator(op) + ", shared, " + combinerText(op) +
                ");");
    for (OpResult result : op->getResults()) text.setName(result, "(" + resultText(result, accumulator(op)) + ")");
  }
  return success();
}

LogicalResult RowsForm::write(BodyText &text) {
  defineRow(text);
  // Results along the row are written inside the walks: threads without a row of their own write the last one again.
  for (unsigned phase = 0; phase < body_.phaseCount(); ++phase)
    if (failed(writeVisit(text, phase))) return failure();
  SmallVector<unsigned> outputs;
  for (unsigned i = 0; i < space_.outputs.size(); ++i)
    if (!isReducedAlong(i)) outputs.push_back(i);
  if (outputs.empty()) return success();
  for (unsigned output : outputs)
    if (failed(text.define(yielded(output)))) return failure();
  text.line(group_ == blockThreads ? "if (thread != 0) return;" : "if (thread != 0 || at != row) return;");
  for (unsigned output : outputs) text.store(output, text.nameOf(yielded(output)));
  return success();
}

// The reduction dim that most bytes are contiguous along, if they are more than along any parallel dim.
static std::optional<unsigned> chooseRowDim(const nest::Space &space) {
  std::optional<unsigned> best;
  int64_t bestBytes = 0;
  for (unsigned dim = 0; dim < space.dimCount(); ++dim) {
    int64_t bytes = 0;
    for (const auto *accesses : {&space.inputs, &space.outputs})
      for (const nest::Access &access : *accesses) {
        // What is read by all threads of a row alike, or by all rows, is read from a cache.
        bool isLarge = llvm::any_of(space.dims(true), [&](unsigned d) { return access.dependsOn(d); });
        if (isLarge && isContiguous(space, access, dim)) bytes += memoryBytes(access.element);
      }
    if (bytes == 0 || bytes < bestBytes) continue;
    if (bytes == bestBytes && best && space.sizes[dim] <= space.sizes[*best]) continue;
    best = dim;
    bestBytes = bytes;
  }
  return best && space.reduction[*best] ? best : std::nullopt;
}

std::unique_ptr<Form> makeRowsForm(nest::Space space) {
  std::optional<unsigned> dim = chooseRowDim(space);
  if (!dim || space.points(/*reductionDims=*/true) == 0) return nullptr;
  Lanes lanes = Lanes::split(space, *dim, vectorWidth(space, *dim));
  SmallVector<unsigned> walk;
  for (unsigned d : space.dims(/*reductionDims=*/true))
    if (d != lanes.outer && (lanes.width == 1 || d != lanes.inner)) walk.push_back(d);
  walk.push_back(lanes.outer);
  return std::make_unique<RowsForm>(std::move(space), lanes, std::move(walk));
}

} // namespace tensorjit::cuda
