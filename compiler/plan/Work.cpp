#include "plan/Work.h"

#include "kernel/Kernel.h"
#include "plan/Memory.h"

using namespace mlir;

namespace tensorjit::plan {

using kernel::NestOp;

// Elements of an input that the nest can touch: no more than the points of the dims in its map.
static int64_t bytesRead(NestOp nest, unsigned input) {
  int64_t points = 1;
  for (unsigned dim = 0; dim < nest.getNumDims(); ++dim)
    if (nest.getInputMap(input).isFunctionOfDim(dim)) points *= nest.getSize(dim);
  int64_t bits = nest.getInputType(input).getElementType().getIntOrFloatBitWidth();
  return std::min(bytesOf(nest.getInputType(input)), points * std::max<int64_t>(1, bits / 8));
}

int64_t bytesMoved(Operation *op) {
  int64_t bytes = 0;
  for (Type result : op->getResultTypes()) bytes += bytesOf(result);
  if (auto scatter = dyn_cast<kernel::ScatterOp>(op)) {
    for (Value operand : scatter->getOperands()) bytes += bytesOf(operand.getType());
    if (scatter.getKind() == kernel::ScatterKind::Add) bytes += bytesOf(scatter.getSource().getType());
  }
  op->walk([&](NestOp nest) {
    // What a chain makes and reads itself stays in the cache.
    for (auto [i, input] : llvm::enumerate(nest.getInputs()))
      if (nest == op || isa<BlockArgument>(rootOf(input))) bytes += bytesRead(nest, i);
  });
  return bytes;
}

int64_t floatOps(Operation *op) {
  int64_t total = 0;
  op->walk([&](NestOp nest) {
    int64_t perPoint = 0;
    for (Operation &part : nest.getBlock()->without_terminator())
      if (part.getNumResults() == 1 && isa<FloatType>(part.getResult(0).getType()) && part.getNumOperands()) ++perPoint;
    total += perPoint * nest.getNumPoints();
  });
  return total;
}

} // namespace tensorjit::plan
