#include "nest/NestParts.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/DenseSet.h"

namespace tensorjit::nest {

// Ops of the body that the kept results need, in order of the body; checks are always needed.
static llvm::DenseSet<Operation *> neededOps(NestOp nest, ArrayRef<unsigned> keptOutputs) {
  llvm::DenseSet<Operation *> needed;
  SmallVector<Value> pending;
  for (unsigned i : keptOutputs) pending.push_back(nest.getYield().getOperand(i));
  for (auto check : nest.getBlock()->getOps<kernel::CheckIndexOp>()) pending.push_back(check.getResult());
  while (!pending.empty())
    if (Operation *op = pending.pop_back_val().getDefiningOp(); op && needed.insert(op).second)
      llvm::append_range(pending, op->getOperands());
  return needed;
}

namespace {
// Ops are the same where they differ in nothing but their locations.
struct SameOp : llvm::DenseMapInfo<Operation *> {
  static unsigned getHashValue(const Operation *op) {
    return OperationEquivalence::computeHash(const_cast<Operation *>(op), OperationEquivalence::directHashValue,
                                             OperationEquivalence::ignoreHashValue,
                                             OperationEquivalence::IgnoreLocations);
  }
  static bool isEqual(const Operation *a, const Operation *b) {
    if (a == b) return true;
    if (a == getEmptyKey() || a == getTombstoneKey() || b == getEmptyKey() || b == getTombstoneKey()) return false;
    return OperationEquivalence::isEquivalentTo(const_cast<Operation *>(a), const_cast<Operation *>(b),
                                                OperationEquivalence::IgnoreLocations);
  }
};
} // namespace

// Copies the needed ops, each distinct one once.
static void copyDistinct(OpBuilder &builder, NestOp nest, const llvm::DenseSet<Operation *> &needed,
                         IRMapping &mapping) {
  llvm::DenseSet<Operation *, SameOp> made;
  for (Operation &op : nest.getBlock()->without_terminator()) {
    if (!needed.contains(&op)) continue;
    Operation *copy = builder.clone(op, mapping);
    if (!isPure(copy)) continue;
    auto [same, isNew] = made.insert(copy);
    if (isNew) continue;
    mapping.map(op.getResults(), (*same)->getResults());
    copy->erase();
  }
}

NestOp tidy(OpBuilder &builder, NestOp nest) {
  SmallVector<unsigned> keptOutputs;
  for (unsigned i = 0; i < nest.getNumOutputs(); ++i)
    if (!nest.getOutputs()[i].use_empty()) keptOutputs.push_back(i);
  bool checks = !nest.getBlock()->getOps<kernel::CheckIndexOp>().empty();
  if (keptOutputs.empty() && checks) keptOutputs.push_back(0);
  if (keptOutputs.empty()) {
    nest.erase();
    return {};
  }
  llvm::DenseSet<Operation *> needed = neededOps(nest, keptOutputs);
  auto isRead = [&](Value argument) {
    return llvm::any_of(argument.getUsers(), [&](Operation *user) {
      if (user != nest.getYield().getOperation()) return needed.contains(user);
      return llvm::any_of(keptOutputs, [&](unsigned i) { return user->getOperand(i) == argument; });
    });
  };

  NestParts parts(nest), old = parts;
  parts.inputs.clear();
  parts.outputs.clear();
  SmallVector<int> place(old.inputs.size(), -1); // of each old input among the new ones
  for (unsigned i = 0; i < old.inputs.size(); ++i) {
    if (!isRead(nest.getBlock()->getArgument(i))) continue;
    auto same = llvm::find(parts.inputs, old.inputs[i]);
    place[i] = same - parts.inputs.begin();
    if (same == parts.inputs.end()) parts.inputs.push_back(old.inputs[i]);
  }
  for (unsigned i : keptOutputs) parts.outputs.push_back(old.outputs[i]);

  builder.setInsertionPoint(nest);
  NestOp result = parts.create(builder, [&](OpBuilder &b, ValueRange inputs) {
    IRMapping mapping;
    for (unsigned i = 0; i < place.size(); ++i)
      if (place[i] >= 0) mapping.map(nest.getBlock()->getArgument(i), inputs[place[i]]);
    copyDistinct(b, nest, needed, mapping);
    SmallVector<Value> yields;
    for (unsigned i : keptOutputs) yields.push_back(mapping.lookup(nest.getYield().getOperand(i)));
    return yields;
  });
  for (auto [i, kept] : llvm::enumerate(keptOutputs))
    nest.getOutputs()[kept].replaceAllUsesWith(result.getOutputs()[i]);
  nest.erase();
  return result;
}

} // namespace tensorjit::nest
