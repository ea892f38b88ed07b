#include "plan/Steps.h"

namespace tensorjit::plan {

using kernel::GroupOp;
using kernel::NestOp;

Value rootOf(Value value) {
  while (auto view = value.getDefiningOp<kernel::ViewOp>()) value = view.getSource();
  return value;
}

std::vector<Operation *> stepsOf(func::FuncOp function) {
  std::vector<Operation *> steps;
  for (Operation &op : function.getBody().front().without_terminator())
    if (!isa<kernel::ViewOp>(op)) steps.push_back(&op);
  return steps;
}

bool checksIndex(Operation *step) {
  if (!kernel::isKernel(step)) return step->hasAttr("tj.check");
  if (isa<kernel::ScatterOp>(step)) return true;
  return step->walk([](kernel::CheckIndexOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

// `value` is what the nest itself reads: an operand, or an argument of its group.
static bool nestCanOverwrite(NestOp nest, unsigned result, Value value) {
  if (nest.hasReductionDims()) return false;
  Type type = nest.getOutputs()[result].getType();
  for (unsigned i = 0; i < nest.getNumInputs(); ++i) {
    if (rootOf(nest.getInputs()[i]) != value) continue;
    if (nest.getInputs()[i].getType() != type || nest.getPad(i) || nest.getInputMap(i) != nest.getOutputMap(result))
      return false;
  }
  return true;
}

static bool groupCanOverwrite(GroupOp group, unsigned result, Value value) {
  auto made = cast<OpResult>(group.getYield().getOperand(result));
  auto nest = cast<NestOp>(made.getOwner());
  for (auto [operand, argument] : llvm::zip_equal(group.getInputs(), group.getBlock()->getArguments())) {
    if (rootOf(operand) != value) continue;
    if (operand.getType() != made.getType()) return false;
    for (Operation *user : argument.getUsers())
      if (user != nest) return false;
    if (!nestCanOverwrite(nest, made.getResultNumber(), argument)) return false;
  }
  return true;
}

bool canOverwrite(Operation *step, unsigned result, Value value) {
  if (auto nest = dyn_cast<NestOp>(step)) return nestCanOverwrite(nest, result, value);
  if (auto scatter = dyn_cast<kernel::ScatterOp>(step))
    return llvm::all_of(scatter->getOpOperands(), [&](OpOperand &use) {
      return rootOf(use.get()) != value || (use.get() == scatter.getBase() && value == scatter.getBase());
    });
  if (auto group = dyn_cast<GroupOp>(step)) return groupCanOverwrite(group, result, value);
  return false;
}

std::vector<Result> resultsOf(func::FuncOp function) {
  std::vector<Result> results;
  Operation *terminator = function.getBody().front().getTerminator();
  for (unsigned i = 0; i < terminator->getNumOperands(); ++i) {
    auto updates = function.getResultAttrOfType<IntegerAttr>(i, "tj.updates");
    results.push_back({rootOf(terminator->getOperand(i)), updates ? updates.getInt() : -1});
  }
  return results;
}

} // namespace tensorjit::plan
