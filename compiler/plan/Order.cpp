// Order of the steps. Edges are data dependences and, for each piece of state that is written in place, "the readers
// of the old state come first" and "the index checks come first": a run that reports an index error leaves state alone.
#include "plan/Steps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

#include <queue>

namespace tensorjit::plan {

namespace {

class StepGraph {
public:
  explicit StepGraph(std::vector<Operation *> steps) : steps_(std::move(steps)), after_(steps_.size()) {
    for (unsigned i = 0; i < steps_.size(); ++i) number_[steps_[i]] = i;
    for (unsigned i = 0; i < steps_.size(); ++i)
      for (Value operand : steps_[i]->getOperands())
        if (Operation *producer = rootOf(operand).getDefiningOp()) after_[number_[producer]].insert(i);
  }

  /// Makes the owner of `result` run behind the other readers of `state` and behind every check; false, and nothing
  /// changed, where that is impossible.
  bool writeLate(OpResult result, Value state) {
    unsigned writer = number_[result.getOwner()];
    llvm::SmallSetVector<unsigned, 8> earlier;
    for (unsigned i = 0; i < steps_.size(); ++i) {
      if (i == writer) continue;
      bool reads = llvm::any_of(steps_[i]->getOperands(), [&](Value operand) { return rootOf(operand) == state; });
      if (reads || checksIndex(steps_[i])) earlier.insert(i);
    }
    if (checksIndex(steps_[writer])) return false;
    if (llvm::any_of(earlier, [&](unsigned step) { return reaches(writer, step); })) return false;
    for (unsigned step : earlier) after_[step].insert(writer);
    late_.insert(writer);
    return true;
  }

  /// Topological, otherwise in the program's order, writers of state last.
  std::vector<Operation *> order() const {
    std::vector<unsigned> waiting(steps_.size(), 0);
    for (const auto &next : after_)
      for (unsigned step : next) ++waiting[step];
    using Entry = std::pair<bool, unsigned>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
    for (unsigned i = 0; i < steps_.size(); ++i)
      if (!waiting[i]) ready.push({late_.contains(i), i});
    std::vector<Operation *> ordered;
    while (!ready.empty()) {
      unsigned step = ready.top().second;
      ready.pop();
      ordered.push_back(steps_[step]);
      for (unsigned next : after_[step])
        if (--waiting[next] == 0) ready.push({late_.contains(next), next});
    }
    return ordered;
  }

private:
  bool reaches(unsigned from, unsigned to) const {
    std::vector<unsigned> pending{from};
    std::vector<bool> seen(steps_.size(), false);
    while (!pending.empty()) {
      unsigned step = pending.back();
      pending.pop_back();
      if (step == to) return true;
      if (seen[step]) continue;
      seen[step] = true;
      pending.insert(pending.end(), after_[step].begin(), after_[step].end());
    }
    return false;
  }

  std::vector<Operation *> steps_;
  std::vector<llvm::SmallSetVector<unsigned, 4>> after_; ///< steps that depend on each step
  llvm::DenseMap<Operation *, unsigned> number_;
  llvm::SmallSetVector<unsigned, 4> late_;
};

} // namespace

std::vector<Operation *> orderSteps(func::FuncOp function, std::vector<Result> &results) {
  StepGraph graph(stepsOf(function));
  llvm::DenseSet<Value> written;
  // First those that go into fresh memory: they need no order.
  for (Result &result : results)
    if (result.updates < 0 && isa<OpResult>(result.root)) result.direct = written.insert(result.root).second;
  for (Result &result : results) {
    auto made = dyn_cast<OpResult>(result.root);
    if (result.updates < 0 || !made || written.contains(made)) continue;
    Value state = function.getArgument(result.updates);
    // Where the old state is a result too, or goes elsewhere, the end sorts it out by copies.
    bool returned = llvm::any_of(results, [&](const Result &other) { return other.root == state; });
    result.direct = !returned && kernel::isKernel(made.getOwner()) &&
                    canOverwrite(made.getOwner(), made.getResultNumber(), state) && graph.writeLate(made, state);
    if (result.direct) written.insert(made);
  }
  return graph.order();
}

} // namespace tensorjit::plan
