#include "fuse/Cost.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tensorjit::fuse_nests {

using kernel::NestOp;

double bodyCost(NestOp nest) {
  double cost = 0;
  for (Operation &op : nest.getBlock()->without_terminator()) {
    if (isa<arith::ConstantOp, kernel::IndexOp>(op)) continue;
    bool function = isa<math::MathDialect>(op.getDialect()) && !isa<math::AbsFOp, math::FmaOp, math::CopySignOp>(op);
    cost += function ? 16 : isa<arith::DivFOp>(op) ? 4 : 1;
  }
  return cost;
}

bool isCopy(NestOp nest) {
  return nest.getNumInputs() == 1 && nest.getNumOutputs() == 1 && !nest.hasReductionDims() &&
         nest.getYield().getOperand(0) == nest.getBlock()->getArgument(0);
}

bool isContraction(NestOp nest) {
  if (nest.getNumInputs() < 2) return false;
  kernel::ReduceOp sum;
  for (Operation &op : nest.getBlock()->without_terminator()) {
    if (isa<kernel::ArgReduceOp>(op)) return false;
    auto reduce = dyn_cast<kernel::ReduceOp>(op);
    if (reduce && sum) return false;
    if (reduce) sum = reduce;
  }
  if (!sum || sum.getKind() != kernel::ReduceKind::Add) return false;
  Operation *product = sum.getValue().getDefiningOp();
  if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp>(product)) return false;
  auto a = dyn_cast<BlockArgument>(product->getOperand(0)), b = dyn_cast<BlockArgument>(product->getOperand(1));
  if (!a || !b || a == b) return false;
  // Each operand is read again for points that only the other one knows.
  auto hasOwnDim = [&](BlockArgument own, BlockArgument other) {
    for (unsigned dim : nest.getParallelDims())
      if (nest.getSize(dim) > 1 && nest.getInputMap(own.getArgNumber()).isFunctionOfDim(dim) &&
          !nest.getInputMap(other.getArgNumber()).isFunctionOfDim(dim))
        return true;
    return false;
  };
  return hasOwnDim(a, b) && hasOwnDim(b, a);
}

static bool goesIntoState(Value value, func::FuncOp function) {
  return llvm::any_of(value.getUses(), [&](OpOperand &use) {
    if (auto view = dyn_cast<kernel::ViewOp>(use.getOwner())) return goesIntoState(view.getResult(), function);
    return isa<func::ReturnOp>(use.getOwner()) && function.getResultAttr(use.getOperandNumber(), "tj.updates");
  });
}

bool updatesState(NestOp nest) {
  auto function = nest->getParentOfType<func::FuncOp>();
  return llvm::any_of(nest->getResults(), [&](Value result) { return goesIntoState(result, function); });
}

bool hasChecks(NestOp nest) { return !nest.getBlock()->getOps<kernel::CheckIndexOp>().empty(); }

} // namespace tensorjit::fuse_nests
