#include "plan/Plan.h"

#include "execute/CallPlan.h"
#include "import/Import.h"
#include "plan/Memory.h"
#include "plan/Work.h"
#include "tensor/OpBridge.h"
#include "tensorjit/error.h"

#include <map>

using namespace mlir;

namespace tensorjit {

using namespace plan;

namespace {

class Planner {
public:
  Planner(func::FuncOp function, const Graph &graph)
      : function_(function), graph_(graph), results_(resultsOf(function)) {
    for (uint32_t i = 0; i < graph.lines.size(); ++i) lines_.try_emplace({graph.lines[i].file, graph.lines[i].line}, i);
  }

  Plan run() {
    Executable &exe = plan_.executable;
    exe.name = graph_.name;
    exe.lines = graph_.lines;
    exe.device = graph_.device;
    for (uint32_t i = 0; i < graph_.numInputs; ++i)
      exe.inputs.push_back({graph_.types[i], orderOf(function_.getArgAttr(i, orderAttr)), -1,
                            static_cast<bool>(function_.getArgAttr(i, onHostAttr))});
    for (auto [i, output] : llvm::enumerate(graph_.outputs))
      exe.outputs.push_back(
          {graph_.types[output.value], orderOf(function_.getResultAttr(i, orderAttr)), output.updatesInput});
    for (const GraphNode &node : graph_.nodes)
      if (info(node.op).checksIndex) exe.checks.push_back(indexCheckOf(graph_, node));

    std::vector<Operation *> steps = orderSteps(function_, results_);
    memory_ = planMemory(function_, steps, results_, overwrittenArguments(), aside_);
    exe.arenaBytes = memory_.arenaBytes;
    for (auto [argument, place] : aside_) addCopy(memory_.of(argument), place, argument.getType());
    for (Operation *step : steps) kernel::isKernel(step) ? addLaunch(step) : addCall(step);
    copyResults();
    return std::move(plan_);
  }

private:
  static Shape orderOf(Attribute order) {
    auto dims = dyn_cast_or_null<DenseI64ArrayAttr>(order);
    return dims ? Shape(std::span(dims.asArrayRef().data(), dims.size())) : Shape();
  }

  // Arguments that are results as they are, while other results are written over them.
  SmallVector<Value> overwrittenArguments() {
    SmallVector<Value> arguments;
    for (const Result &result : results_) {
      auto argument = dyn_cast<BlockArgument>(result.root);
      if (!argument || llvm::is_contained(arguments, argument)) continue;
      bool moves = result.updates != static_cast<int64_t>(argument.getArgNumber());
      bool overwritten = llvm::any_of(results_, [&](const Result &other) {
        return other.updates == static_cast<int64_t>(argument.getArgNumber()) && other.root != argument;
      });
      if (moves && overwritten) arguments.push_back(argument);
    }
    return arguments;
  }

  void addLaunch(Operation *op) {
    Step step;
    step.kind = Step::Launch;
    plan_.launches.push_back(plan_.executable.steps.size());
    step.kernel = symbolOf(op);
    plan_.kernels.push_back({op, step.kernel});
    addBuffers(step, op);
    step.bytes = bytesMoved(op);
    step.flops = floatOps(op);
    plan_.executable.steps.push_back(std::move(step));
  }

  // The kernel's name with its number: what profilers and debuggers show.
  std::string symbolOf(Operation *op) const {
    std::string symbol = op->getAttrOfType<StringAttr>("sym_name").str() + "_" + std::to_string(plan_.kernels.size());
    for (char &c : symbol)
      if (!llvm::isAlnum(c)) c = '_';
    return symbol;
  }

  void addCall(Operation *op) {
    Step step;
    step.kind = Step::Call;
    if (!tj::toGraphNode(op, step.op, step.attrs))
      throw compile_error(("no step can run " + op->getName().getStringRef()).str());
    auto refusal = op->getAttrOfType<StringAttr>("tj.refusal");
    step.refusal = refusal ? refusal.str() : "not lowered";
    if (auto check = op->getAttrOfType<IntegerAttr>("tj.check")) step.check = static_cast<uint32_t>(check.getInt());
    addBuffers(step, op);
    for (Type type : op->getOperandTypes()) step.types.push_back(*tj::tensorTypeOf(type));
    for (Type type : op->getResultTypes()) step.types.push_back(*tj::tensorTypeOf(type));
    plan_.executable.steps.push_back(std::move(step));
  }

  void addBuffers(Step &step, Operation *op) {
    for (Value operand : op->getOperands()) step.buffers.push_back(memory_.of(operand));
    for (Value result : op->getResults()) step.buffers.push_back(memory_.of(result));
    step.checks = checksIndex(op);
    step.lines = linesOf(op->getLoc());
  }

  void copyResults() {
    for (auto [i, result] : llvm::enumerate(results_)) {
      auto argument = dyn_cast<BlockArgument>(result.root);
      bool inPlace = argument && result.updates == static_cast<int64_t>(argument.getArgNumber());
      if (result.direct || inPlace) continue;
      auto aside = aside_.find(result.root);
      BufferRef from = aside == aside_.end() ? memory_.of(result.root) : aside->second;
      addCopy(from, {BufferRef::Output, static_cast<uint32_t>(i), 0}, result.root.getType());
    }
  }

  void addCopy(BufferRef from, BufferRef to, Type type) {
    Step step;
    step.kind = Step::Copy;
    step.buffers = {from, to};
    step.types = {*tj::tensorTypeOf(type), *tj::tensorTypeOf(type)};
    plan_.executable.steps.push_back(std::move(step));
  }

  std::vector<uint32_t> linesOf(Location loc) {
    std::vector<uint32_t> lines;
    loc->walk([&](Location part) {
      if (auto file = dyn_cast<FileLineColLoc>(part))
        if (auto found = lines_.find({file.getFilename().str(), file.getLine()}); found != lines_.end())
          lines.push_back(found->second);
      return WalkResult::advance();
    });
    std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    return lines;
  }

  func::FuncOp function_;
  const Graph &graph_;
  std::vector<Result> results_;
  MemoryPlan memory_;
  llvm::DenseMap<Value, BufferRef> aside_;
  std::map<std::pair<std::string, uint32_t>, uint32_t> lines_;
  Plan plan_;
};

} // namespace

Plan planFunction(func::FuncOp function, const Graph &graph) { return Planner(function, graph).run(); }

void enterKernelInfo(Plan &plan, ArrayRef<cpu::KernelInfo> kernels) {
  for (auto [launch, kernel] : llvm::zip_equal(plan.launches, kernels)) {
    Step &step = plan.executable.steps[launch];
    step.extent = kernel.extent;
    step.grain = kernel.grain;
    step.scratchBytes = kernel.scratchBytes;
  }
}

} // namespace tensorjit
