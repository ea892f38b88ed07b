#include "layout/ContractionOperands.h"

#include "fuse/Cost.h"

using namespace mlir;

namespace tensorjit::layout {

std::optional<ContractionOperands> contractionOperands(kernel::NestOp nest) {
  if (!fuse_nests::isContraction(nest)) return std::nullopt;
  kernel::ReduceOp sum = *nest.getBlock()->getOps<kernel::ReduceOp>().begin();
  Operation *product = sum.getValue().getDefiningOp();
  ContractionOperands parts;
  parts.a = cast<BlockArgument>(product->getOperand(0)).getArgNumber();
  parts.b = cast<BlockArgument>(product->getOperand(1)).getArgNumber();
  for (unsigned i = 0; i < nest.getNumOutputs(); ++i) {
    AffineMap map = nest.getOutputMap(i);
    auto last = map.getNumResults() ? dyn_cast<AffineDimExpr>(map.getResults().back()) : nullptr;
    if (!last || (i && last.getPosition() != parts.vectorDim)) return std::nullopt;
    parts.vectorDim = last.getPosition();
  }
  auto uses = [&](unsigned input) { return nest.getInputMap(input).isFunctionOfDim(parts.vectorDim); };
  if (uses(parts.a)) std::swap(parts.a, parts.b);
  if (uses(parts.a) || !uses(parts.b)) return std::nullopt;
  return parts;
}

} // namespace tensorjit::layout
