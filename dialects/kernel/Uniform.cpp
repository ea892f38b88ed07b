#include "kernel/Uniform.h"

using namespace mlir;

namespace tensorjit::kernel {

bool usesReductionDims(NestOp nest, AffineMap map) {
  return llvm::any_of(nest.getReductionDims(),
                      [&](unsigned dim) { return nest.getSize(dim) != 1 && map.isFunctionOfDim(dim); });
}

UniformValues::UniformValues(NestOp nest) {
  for (unsigned i = 0; i < nest.getNumInputs(); ++i)
    if (!usesReductionDims(nest, nest.getInputMap(i))) values_.insert(nest.getBlock()->getArgument(i));
  for (Operation &op : nest.getBlock()->without_terminator()) {
    bool uniform = llvm::all_of(op.getOperands(), [&](Value operand) { return contains(operand); });
    if (auto index = dyn_cast<IndexOp>(op)) uniform = !nest.isReduction(index.getDim());
    if (isa<ScanOp>(op)) uniform = false;
    if (uniform || isa<ReduceOp, ArgReduceOp>(op)) values_.insert(op.getResults().begin(), op.getResults().end());
  }
}

} // namespace tensorjit::kernel
