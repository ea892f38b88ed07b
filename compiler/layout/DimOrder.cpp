// The order in which a nest walks: parallel dims as its largest result lies in memory, then reduction dims as its
// largest input (of a contraction: the operand that is not read in vectors) lies in memory.
#include "layout/ContractionOperands.h"
#include "layout/LayoutSteps.h"
#include "nest/NestParts.h"

namespace tensorjit::layout {

using kernel::NestOp;

static unsigned largest(TypeRange types) {
  unsigned best = 0;
  auto elements = [&](unsigned i) { return cast<RankedTensorType>(types[i]).getNumElements(); };
  for (unsigned i = 1; i < types.size(); ++i)
    if (elements(i) > elements(best)) best = i;
  return best;
}

static void appendDims(AffineMap map, llvm::function_ref<bool(unsigned)> wanted, SmallVectorImpl<unsigned> &order) {
  for (AffineExpr expr : map.getResults())
    for (unsigned dim = 0; dim < map.getNumDims(); ++dim)
      if (expr.isFunctionOfDim(dim) && wanted(dim) && !llvm::is_contained(order, dim)) order.push_back(dim);
}

static SmallVector<unsigned> walkOrder(NestOp nest) {
  SmallVector<unsigned> order;
  auto parallel = [&](unsigned dim) { return !nest.isReduction(dim); };
  auto reduction = [&](unsigned dim) { return nest.isReduction(dim); };
  appendDims(nest.getOutputMap(largest(nest.getOutputs().getTypes())), parallel, order);
  for (unsigned dim : nest.getParallelDims())
    if (!llvm::is_contained(order, dim)) order.push_back(dim);
  if (nest.getNumInputs()) {
    auto contraction = contractionOperands(nest);
    unsigned leader = contraction ? contraction->a : largest(nest.getInputs().getTypes());
    appendDims(nest.getInputMap(leader), reduction, order);
  }
  for (unsigned dim : nest.getReductionDims())
    if (!llvm::is_contained(order, dim)) order.push_back(dim);
  return order;
}

void orderDims(func::FuncOp function) {
  for (auto nest : llvm::make_early_inc_range(function.getBody().front().getOps<NestOp>())) {
    SmallVector<unsigned> order = walkOrder(nest);
    if (llvm::is_sorted(order)) continue;
    SmallVector<int64_t> sizes;
    SmallVector<bool> reduction;
    SmallVector<AffineExpr> oldDims(order.size(), getAffineConstantExpr(0, nest.getContext()));
    for (auto [place, dim] : llvm::enumerate(order)) {
      sizes.push_back(nest.getSize(dim));
      reduction.push_back(nest.isReduction(dim));
      oldDims[dim] = getAffineDimExpr(place, nest.getContext());
    }
    OpBuilder builder(nest);
    NestOp ordered = nest::changeSpace(builder, nest, sizes, reduction, oldDims);
    if (!ordered) continue;
    nest.replaceAllUsesWith(ordered.getResults());
    nest.erase();
  }
}

} // namespace tensorjit::layout
