// A nest with reduction dims: a block computes one point of the parallel dims. Reductions that depend on one another
// visit the reduction dims again; the values of a visit go with it, uniform values stay.
//
//   %m = kernel.reduce max %a          float a0 = -inf;
//   %d = arith.subf %a, %m             for (r = threadIdx.x; r < 64; r += 64) { v0 = in0[...]; a0 = maximum(a0, v0); }
//   kernel.yield %m, %d          ->    const float v1 = blockReduce<64>(a0, Max());
//                                      for (r = threadIdx.x; ...) { v2 = in0[...]; v3 = v2 - v1; out1[...] = v3; }
//                                      if (threadIdx.x == 0) out0[...] = v1;
#include "cuda/NestText.h"
#include "cuda/ScalarText.h"

using namespace mlir;

namespace tensorjit::cuda {

static bool isReduction(Operation *op) { return isa<kernel::ReduceOp, kernel::ArgReduceOp>(op); }

/// Reductions by the number of reductions they wait for.
static std::vector<SmallVector<Operation *>> levels(kernel::NestOp nest) {
  std::vector<SmallVector<Operation *>> out;
  DenseMap<Value, unsigned> waits;
  for (Operation &op : *nest.getBlock()) {
    unsigned level = 0;
    for (Value operand : op.getOperands()) level = std::max(level, waits.lookup(operand));
    if (isReduction(&op)) {
      if (level == out.size()) out.emplace_back();
      out[level++].push_back(&op);
    }
    for (Value result : op.getResults()) waits[result] = level;
  }
  return out;
}

/// Sums and products of types that shuffles lack are formed in int.
static std::string accumulatorType(Type type) {
  return type.isInteger(1) || type.isInteger(8) ? "int" : scalarTypeText(type);
}

static const char *combiner(kernel::ReduceKind kind) {
  const char *names[] = {"Add", "Mul", "Max", "Min", "And", "Or"};
  return names[static_cast<int>(kind)];
}

static std::string startValue(kernel::ReduceOp op) {
  Type type = op.getValue().getType();
  switch (op.getKind()) {
  case kernel::ReduceKind::Max: return extremeText(type, false);
  case kernel::ReduceKind::Min: return extremeText(type, true);
  case kernel::ReduceKind::Mul: return "1";
  case kernel::ReduceKind::And: return type.isInteger(1) ? "1" : "-1";
  default: return "0";
  }
}

static bool isSum(Operation *op) {
  auto reduce = dyn_cast<kernel::ReduceOp>(op);
  return reduce && reduce.getKind() == kernel::ReduceKind::Add && isa<FloatType>(reduce.getValue().getType());
}

static std::string accumulatorName(Operation *op) {
  unsigned number = 0;
  for (Operation &other : *op->getBlock()) {
    if (&other == op) break;
    number += isReduction(&other);
  }
  return "a" + std::to_string(number);
}

void NestText::defineAccumulator(Operation *op) {
  std::string name = accumulatorName(op);
  if (auto reduce = dyn_cast<kernel::ReduceOp>(op)) {
    line(accumulatorType(reduce.getValue().getType()) + " " + name + " = " + startValue(reduce) + ";");
    return;
  }
  auto arg = cast<kernel::ArgReduceOp>(op);
  Type type = arg.getValue().getType();
  bool largest = arg.getKind() == kernel::ArgReduceKind::Max;
  // The largest index loses every tie against a real one.
  line("At<" + accumulatorType(type) + "> " + name + " = {" + extremeText(type, !largest) + ", 0x7fffffffffffffffLL};");
}

void NestText::accumulate(Operation *op) {
  std::string name = accumulatorName(op);
  if (auto reduce = dyn_cast<kernel::ReduceOp>(op)) {
    std::string target = sumsInPieces() && isSum(op) ? "part_" + name : name;
    line(target + " = " + combiner(reduce.getKind()) + "()(" + target + ", (" +
         accumulatorType(reduce.getValue().getType()) + ")" + nameOf(reduce.getValue()) + ");");
    return;
  }
  auto arg = cast<kernel::ArgReduceOp>(op);
  std::string kind = arg.getKind() == kernel::ArgReduceKind::Max ? "Extreme<true>" : "Extreme<false>";
  std::string type = "At<" + accumulatorType(arg.getValue().getType()) + ">";
  line(name + " = " + kind + "()(" + name + ", " + type + "{" + nameOf(arg.getValue()) + ", " + nameOf(arg.getIndex()) +
       "});");
}

void NestText::combineBlock(Operation *op) {
  std::string reduced = "blockReduce<" + std::to_string(threads_) + ">(" + accumulatorName(op) + ", ";
  if (auto reduce = dyn_cast<kernel::ReduceOp>(op)) {
    std::string type = scalarTypeText(reduce.getType());
    name(reduce.getResult(), "(" + type + ")" + reduced + combiner(reduce.getKind()) + "())", type);
    return;
  }
  auto arg = cast<kernel::ArgReduceOp>(op);
  std::string kind = arg.getKind() == kernel::ArgReduceKind::Max ? "Extreme<true>" : "Extreme<false>";
  std::string pair = "r_" + accumulatorName(op);
  line("const auto " + pair + " = " + reduced + kind + "());");
  name(arg.getExtreme(), "(" + scalarTypeText(arg.getExtreme().getType()) + ")" + pair + ".value",
       scalarTypeText(arg.getExtreme().getType()));
  name(arg.getAt(), pair + ".index", "long long");
}

LogicalResult NestText::writeReduction() {
  line(std::string("const ") + index_.type() + " row = block;");
  body_ += index_.defineDims(parallel_, "row", "  ");
  for (auto &level : levels(nest_))
    if (failed(writeVisit(level, /*last=*/false))) return failure();
  if (failed(writeVisit({}, /*last=*/true))) return failure();

  SmallVector<unsigned> outputs;
  for (unsigned i = 0; i < nest_.getNumOutputs(); ++i)
    if (!kernel::usesReductionDims(nest_, nest_.getOutputMap(i))) outputs.push_back(i);
  for (unsigned i : outputs)
    if (failed(define(nest_.getYield().getOperand(i)))) return failure();
  line("if (threadIdx.x != 0) return;");
  for (unsigned dim : reduction_) // of one point, and named by a result all the same
    if (llvm::any_of(outputs, [&](unsigned i) { return nest_.getOutputMap(i).isFunctionOfDim(dim); }))
      line(std::string("const ") + index_.type() + " d" + std::to_string(dim) + " = 0;");
  for (unsigned i : outputs)
    if (failed(store(i))) return failure();
  return success();
}

/// One walk over the reduction dims: the given reductions, or in the `last` one the results that vary over them and the
/// index checks that no reduction needed. Nothing where there is nothing to do.
LogicalResult NestText::writeVisit(ArrayRef<Operation *> reductions, bool last) {
  SmallVector<Value> roots;
  for (Operation *op : reductions) llvm::append_range(roots, op->getOperands());
  SmallVector<unsigned> outputs;
  for (unsigned i = 0; last && i < nest_.getNumOutputs(); ++i)
    if (kernel::usesReductionDims(nest_, nest_.getOutputMap(i))) outputs.push_back(i);
  for (unsigned i : outputs) roots.push_back(nest_.getYield().getOperand(i));
  if (last)
    for (Operation &op : *nest_.getBlock())
      if (isa<kernel::CheckIndexOp>(op) && !checked_.contains(&op)) roots.push_back(op.getResult(0));

  for (Value root : roots)
    if (failed(define(root, /*onlyUniform=*/true))) return failure();
  if (reductions.empty() && llvm::all_of(roots, [&](Value root) { return names_.contains(root); }) && outputs.empty())
    return success();
  for (Operation *op : reductions) defineAccumulator(op);

  auto outside = names_;
  std::string type = index_.type(), end = std::to_string(reductionPoints_), step = std::to_string(threads_);
  const bool chunks = sumsInPieces() && llvm::any_of(reductions, isSum);
  if (chunks) {
    std::string piece = std::to_string(128 * threads_);
    line("for (" + type + " first = 0; first < " + end + "; first += " + piece + ") {");
    ++depth_;
    line("const " + type + " end = first + " + piece + " < " + end + " ? first + " + piece + " : " + end + ";");
    for (Operation *op : reductions)
      if (isSum(op)) line(scalarTypeText(op->getResult(0).getType()) + " part_" + accumulatorName(op) + " = 0;");
  }
  line("for (" + type + " r = " + (chunks ? "first + threadIdx.x; r < end" : "threadIdx.x; r < " + end) +
       "; r += " + step + ") {");
  ++depth_;
  body_ += index_.defineDims(reduction_, "r", std::string(2 * depth_, ' '));
  for (Value root : roots)
    if (failed(define(root))) return failure();
  for (Operation *op : reductions) accumulate(op);
  for (unsigned i : outputs)
    if (failed(store(i))) return failure();
  --depth_;
  line("}");
  if (chunks) {
    for (Operation *op : reductions)
      if (isSum(op)) line(accumulatorName(op) + " += part_" + accumulatorName(op) + ";");
    --depth_;
    line("}");
  }
  names_ = std::move(outside);
  for (Operation *op : reductions) combineBlock(op);
  return success();
}

} // namespace tensorjit::cuda
