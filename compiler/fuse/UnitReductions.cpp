// A reduction over one point is the value itself, and its nest a pointwise one. Fusion must not see it as a reduction:
// beside a real one it would be summed with it.
//
//   nest [parallel 8, reduction 1] ins(%x at (i, j)) { yield reduce add x }   ->   nest [parallel 8, parallel 1] ... {
//   yield x }
#include "fuse/FusionSteps.h"
#include "kernel/Kernel.h"

namespace tensorjit::fuse_nests {

using kernel::NestOp;

static bool reducesOnePoint(NestOp nest) {
  return nest.hasReductionDims() &&
         llvm::all_of(nest.getReductionDims(), [&](unsigned dim) { return nest.getSize(dim) == 1; });
}

void removeUnitReductions(func::FuncOp function) {
  for (auto nest : function.getBody().front().getOps<NestOp>()) {
    if (!reducesOnePoint(nest)) continue;
    for (Operation &op : llvm::make_early_inc_range(nest.getBlock()->without_terminator())) {
      if (!isa<kernel::ReduceOp, kernel::ArgReduceOp>(op)) continue;
      op.replaceAllUsesWith(op.getOperands());
      op.erase();
    }
    SmallVector<StringRef> iterators(nest.getNumDims(), "parallel");
    nest.setIteratorsAttr(Builder(nest.getContext()).getStrArrayAttr(iterators));
  }
}

} // namespace tensorjit::fuse_nests
