#include "plan/PrintPlan.h"

#include "plan/Memory.h"

using namespace mlir;

namespace tensorjit::plan {

static std::string text(const BufferRef &place) {
  switch (place.kind) {
  case BufferRef::Input: return "in " + std::to_string(place.index);
  case BufferRef::Output: return "out " + std::to_string(place.index);
  case BufferRef::Arena: return "arena " + std::to_string(place.offset);
  default: return "constant " + std::to_string(place.offset);
  }
}

static StringRef nameOf(Operation *step) {
  auto name = step->getAttrOfType<StringAttr>("sym_name");
  return name ? name.getValue() : step->getName().getStringRef();
}

void printPlan(func::FuncOp function) {
  std::vector<Result> results = resultsOf(function);
  std::vector<Operation *> steps = orderSteps(function, results);
  llvm::DenseMap<Value, BufferRef> aside;
  MemoryPlan memory = planMemory(function, steps, results, {}, aside);
  llvm::outs() << "plan of " << function.getName() << ": arena " << memory.arenaBytes << '\n';
  for (Operation *step : steps) {
    llvm::outs() << "  " << nameOf(step) << ':';
    for (Value operand : step->getOperands()) llvm::outs() << ' ' << text(memory.of(operand)) << ',';
    llvm::outs() << " ->";
    for (Value result : step->getResults()) llvm::outs() << ' ' << text(memory.of(result)) << ',';
    llvm::outs() << '\n';
  }
  for (auto [i, result] : llvm::enumerate(results))
    if (!result.direct) llvm::outs() << "  copy: " << text(memory.of(result.root)) << " -> out " << i << '\n';
}

} // namespace tensorjit::plan
