#include "fuse/Dependence.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

using namespace mlir;

namespace tensorjit::fuse_nests {

static bool reaches(SmallVectorImpl<Operation *> &pending, Operation *earlier) {
  llvm::DenseSet<Operation *> seen;
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val();
    if (op == earlier) return true;
    if (!seen.insert(op).second) continue;
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp()) pending.push_back(producer);
  }
  return false;
}

bool dependsOn(Operation *op, Operation *earlier) {
  SmallVector<Operation *> pending{op};
  return op != earlier && reaches(pending, earlier);
}

bool dependsThroughOthers(Operation *op, Operation *earlier) {
  SmallVector<Operation *> pending;
  for (Value operand : op->getOperands())
    if (Operation *producer = operand.getDefiningOp(); producer && producer != earlier) pending.push_back(producer);
  return reaches(pending, earlier);
}

} // namespace tensorjit::fuse_nests
