// Independent nests with the same body become one kernel, which saves their launches:
//
//   %0 = nest [parallel 8] ins(%p) {...}                 %r:2 = kernel.group (%p, %q) {
//   %1 = nest [parallel 2, parallel 2] ins(%q) {...}  ->   %0 = nest ... ins(%p) {...}
//                                                          %1 = nest ... ins(%q) {...} }
#include "fuse/Dependence.h"
#include "fuse/FusionSteps.h"
#include "kernel/Kernel.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

namespace tensorjit::fuse_nests {

using kernel::GroupOp;
using kernel::NestOp;

// Equal for nests that do the same at each point; iteration spaces may differ.
static std::string bodySignature(NestOp nest) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::DenseMap<Value, unsigned> numbers;
  for (BlockArgument argument : nest.getBlock()->getArguments()) numbers[argument] = numbers.size();
  for (Operation &op : *nest.getBlock()) {
    // Positions and their constants depend on the sizes; what is done with them does not.
    stream << op.getName();
    for (Value operand : op.getOperands()) stream << ' ' << numbers.lookup(operand) << operand.getType();
    for (Value result : op.getResults()) numbers[result] = numbers.size();
  }
  return text;
}

// What a group saves is a launch. A long reduction is better split over threads by itself.
static bool isLarge(NestOp nest) { return nest.hasReductionDims() && nest.getNumPoints() > (1 << 19); }

static void makeGroup(ArrayRef<NestOp> nests) {
  NestOp first = nests.front(), last = nests.back();
  OpBuilder builder(last);
  SmallVector<Value> inputs, results;
  SmallVector<Type> types;
  for (NestOp nest : nests) {
    for (Value input : nest.getInputs())
      if (!llvm::is_contained(inputs, input)) inputs.push_back(input);
    llvm::append_range(types, nest.getResultTypes());
    llvm::append_range(results, nest.getResults());
  }
  SmallVector<Location> locations;
  for (NestOp nest : nests) locations.push_back(nest.getLoc());
  Location loc = FusedLoc::get(builder.getContext(), locations);
  auto group = GroupOp::create(builder, loc, types, builder.getStringAttr(first.getSymName() + "_group"), inputs);
  Block &body = group.getBody().emplaceBlock();
  IRMapping mapping;
  for (Value input : inputs) mapping.map(input, body.addArgument(input.getType(), loc));
  OpBuilder inside = OpBuilder::atBlockEnd(&body);
  SmallVector<Value> yields;
  for (NestOp nest : nests) llvm::append_range(yields, inside.clone(*nest.getOperation(), mapping)->getResults());
  kernel::YieldOp::create(inside, loc, yields);
  for (auto [old, made] : llvm::zip_equal(results, group.getResults())) old.replaceAllUsesWith(made);
  for (NestOp nest : nests) nest.erase();
  sortTopologically(group->getBlock());
}

void groupNests(func::FuncOp function) {
  llvm::MapVector<llvm::StringRef, SmallVector<NestOp>> groups;
  std::vector<std::string> signatures; // keeps the texts alive
  auto nests = llvm::to_vector(function.getBody().front().getOps<NestOp>());
  signatures.reserve(nests.size());
  for (NestOp nest : nests) {
    if (nest.getNumInputs() == 0 || isLarge(nest)) continue;
    groups[signatures.emplace_back(bodySignature(nest))].push_back(nest);
  }
  for (auto &[signature, candidates] : groups) {
    SmallVector<NestOp> left = candidates;
    while (!left.empty()) {
      // Asked here, since an earlier group may have tied two of them together.
      SmallVector<NestOp> group, others;
      for (NestOp nest : left) {
        auto independent = [&](NestOp other) { return !dependsOn(nest, other) && !dependsOn(other, nest); };
        (llvm::all_of(group, independent) ? group : others).push_back(nest);
      }
      if (group.size() > 1) makeGroup(group);
      left = others;
    }
  }
}

} // namespace tensorjit::fuse_nests
