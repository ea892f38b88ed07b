// Producer and consumer over the same points, or two readers of one tensor, become one nest:
//
//   %s = nest [parallel 8, reduction 4] ins(%x at (i, j)) { yield reduce add x }
//   %y = nest [parallel 8] ins(%s at (i)) { yield sqrt(s) }
// ->
//   %s, %y = nest [parallel 8, reduction 4] ins(%x at (i, j)) { s = reduce add x; yield s, sqrt(s) }
#include "fuse/Cost.h"
#include "fuse/Dependence.h"
#include "fuse/FusionSteps.h"
#include "fuse/MergeRules.h"
#include "fuse/Spaces.h"

#include "mlir/Analysis/TopologicalSortUtils.h"

namespace tensorjit::fuse_nests {

// Kernels with more operands spill pointers.
constexpr unsigned maxAccesses = 40;

static bool scans(NestOp nest) { return !nest.getBlock()->getOps<kernel::ScanOp>().empty(); }

static bool readsResultOf(NestOp second, NestOp first) {
  return llvm::any_of(second.getInputs(), [&](Value input) { return input.getDefiningOp() == first.getOperation(); });
}

// The value stays in memory for others while the consumer sums it up, and not along its last dims: the sum would make
// the nest walk in another order than memory lies.
static bool isColumnWalk(NestOp first, NestOp second, const DimMatch &match) {
  if (first.hasReductionDims() || !second.hasReductionDims()) return false;
  for (OpResult result : first.getResults()) {
    bool needed = llvm::any_of(result.getUsers(), [&](Operation *user) { return user != second.getOperation(); });
    if (!needed) continue;
    bool inner = false; // a reduced dim stands further out
    for (AffineExpr expr : first.getOutputMap(result.getResultNumber()).getResults()) {
      bool reduced = llvm::any_of(second.getReductionDims(), [&](unsigned dim) { return match[dim] == expr; });
      if (inner && !reduced) return true;
      inner |= reduced;
    }
  }
  return false;
}

// Other nests read through a copy, so that it need not be made.
static bool isReadThrough(NestOp nest) {
  return isCopy(nest) && llvm::any_of(nest->getUsers(), [](Operation *user) { return isa<NestOp>(user); });
}

std::string whyNotMerged(NestOp first, NestOp second, DimMatch &match) {
  std::string why;
  if (hasChecks(second) && dependsOn(second, first) && hasChecks(first)) return "both check indices";
  if ((hasChecks(first) || hasChecks(second)) && (updatesState(first) || updatesState(second)))
    return "state is not written where an index is checked";
  if (first.getMaps().size() + second.getMaps().size() > maxAccesses) return "too many operands for one kernel";
  if (isReadThrough(second)) return "a copy is read through";
  bool reduces = first.hasReductionDims() || second.hasReductionDims();
  if ((scans(first) || scans(second)) && first.hasReductionDims() && second.hasReductionDims())
    return "a nest scans once or reduces";
  if (reduces && (updatesState(first) || updatesState(second)))
    return "state is updated in place, which a reduction cannot do";
  if (dependsThroughOthers(second, first)) return "another op stands between them";
  auto found = matchSpaces(first, second, why);
  if (!found) return why;
  match = *found;
  if (isColumnWalk(first, second, match))
    return "the value is needed in memory too, and summing over its outer dims would slow its making";
  return "";
}

static void replaceByMerged(NestOp first, NestOp second, const DimMatch &match) {
  OpBuilder builder(second);
  Block *block = second->getBlock();
  NestOp merged = mergeNests(builder, first, second, match);
  second.erase();
  first.erase();
  nest::tidy(builder, merged);
  sortTopologically(block);
}

static bool mergeOneProducer(func::FuncOp function, bool intoContractions) {
  auto nests = llvm::to_vector(function.getBody().front().getOps<NestOp>());
  for (NestOp second : nests)
    for (Value input : second.getInputs()) {
      auto first = input.getDefiningOp<NestOp>();
      DimMatch match;
      if (!first || (!intoContractions && isContraction(first))) continue;
      if (!whyNotMerged(first, second, match).empty()) continue;
      replaceByMerged(first, second, match);
      return true;
    }
  return false;
}

bool mergeProducers(func::FuncOp function, bool intoContractions) {
  bool changed = false;
  while (mergeOneProducer(function, intoContractions)) changed = true;
  return changed;
}

static bool shareInput(NestOp a, NestOp b) {
  return llvm::any_of(a.getInputs(), [&](Value input) {
    return cast<RankedTensorType>(input.getType()).getNumElements() > 1 && llvm::is_contained(b.getInputs(), input);
  });
}

static bool haveSameSpace(NestOp a, NestOp b, const DimMatch &match) {
  for (auto [dim, expr] : llvm::enumerate(match))
    if (auto other = dyn_cast<AffineDimExpr>(expr); other && a.isReduction(other.getPosition()) != b.isReduction(dim))
      return false;
  return a.getNumPoints() == b.getNumPoints();
}

static bool mergeOnePairOfSiblings(func::FuncOp function) {
  auto nests = llvm::to_vector(function.getBody().front().getOps<NestOp>());
  for (auto [i, second] : llvm::enumerate(nests))
    for (NestOp first : ArrayRef(nests).take_front(i)) {
      if (!shareInput(first, second) || isContraction(first) || isContraction(second)) continue;
      if (readsResultOf(second, first) || dependsOn(second, first)) continue;
      DimMatch match;
      if (!whyNotMerged(first, second, match).empty() || !haveSameSpace(first, second, match)) continue;
      replaceByMerged(first, second, match);
      return true;
    }
  return false;
}

bool mergeSiblings(func::FuncOp function) {
  bool changed = false;
  while (mergeOnePairOfSiblings(function)) changed = true;
  return changed;
}

} // namespace tensorjit::fuse_nests
