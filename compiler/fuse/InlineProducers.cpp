// Which producers are inlined: those that then need not be computed at all.
#include "fuse/Cost.h"
#include "fuse/FusionSteps.h"
#include "fuse/InlineProducer.h"

#include "llvm/ADT/SetVector.h"

namespace tensorjit::fuse_nests {

// A body that several consumers repeat may cost this much at a point.
constexpr double cheapForSeveral = 8;

static bool inlineEverywhere(NestOp producer) {
  llvm::SmallSetVector<Operation *, 4> users(producer->user_begin(), producer->user_end());
  if (users.empty()) return false;
  for (Operation *user : users)
    if (!isa<NestOp>(user) || !whyNotInlined(producer, cast<NestOp>(user)).empty()) return false;
  if (users.size() > 1 && bodyCost(producer) > cheapForSeveral && producer.getNumPoints() > 1) return false;
  OpBuilder builder(producer);
  for (Operation *user : users) inlineProducer(builder, producer, cast<NestOp>(user));
  producer.erase();
  return true;
}

// Readers do without the producer even where it has to exist for others.
static bool inlineWherePossible(NestOp producer) {
  bool changed = false;
  llvm::SmallSetVector<Operation *, 4> users(producer->user_begin(), producer->user_end());
  OpBuilder builder(producer);
  for (Operation *user : users) {
    auto consumer = dyn_cast<NestOp>(user);
    if (!consumer || !whyNotInlined(producer, consumer).empty()) continue;
    inlineProducer(builder, producer, consumer);
    changed = true;
  }
  return changed;
}

// A constant or a position costs nothing.
static bool inlineConstant(NestOp producer) {
  return producer.getNumInputs() == 0 && bodyCost(producer) <= 1 && inlineWherePossible(producer);
}

void readArgumentsAsTheyLie(func::FuncOp function) {
  auto nests = llvm::to_vector(function.getBody().front().getOps<NestOp>());
  for (NestOp nest : llvm::reverse(nests))
    if (isReordering(nest) && isa<BlockArgument>(nest.getInputs()[0])) inlineWherePossible(nest);
  removeDead(function);
}

bool inlineProducers(func::FuncOp function) {
  bool changed = false;
  // Backwards: a chain collapses into its last consumer, one body at a time.
  auto nests = llvm::to_vector(function.getBody().front().getOps<NestOp>());
  for (NestOp nest : llvm::reverse(nests)) changed |= inlineEverywhere(nest) || inlineConstant(nest);
  return changed;
}

bool removeDead(func::FuncOp function) {
  bool changed = false;
  SmallVector<Operation *> ops;
  for (Operation &op : function.getBody().front().without_terminator()) ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops)) {
    if (auto nest = dyn_cast<NestOp>(op)) {
      bool dead = llvm::any_of(nest.getResults(), [](Value result) { return result.use_empty(); });
      bool needsError = hasChecks(nest) && nest.getNumResults() == 1;
      if (!dead || needsError) continue;
      OpBuilder builder(nest);
      nest::tidy(builder, nest);
      changed = true;
    } else if (isOpTriviallyDead(op)) {
      op->erase();
      changed = true;
    }
  }
  return changed;
}

} // namespace tensorjit::fuse_nests
