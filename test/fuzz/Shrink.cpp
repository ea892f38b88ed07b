#include "Analysis.h"
#include "Check.h"

#include <algorithm>

namespace tensorjit::fuzz {

namespace {

/// What each step gives, as it is right after the step.
struct Snapshots : Observer {
  explicit Snapshots(size_t steps) : values(steps) {}
  Tensor result(size_t step, const Tensor &t) override {
    values[step] = t.detach().clone();
    return t;
  }
  std::vector<Tensor> values;
};

bool fails(const Program &program, const Mode &mode) {
  try {
    return !check(program, mode).empty();
  } catch (const std::exception &) {
    return false;
  }
}

bool used(const Program &program, int value) {
  for (const Step &s : program.steps)
    if (std::count(s.operands.begin(), s.operands.end(), value)) return true;
  return std::count(program.outputs.begin(), program.outputs.end(), value) > 0;
}

Program without(Program program, int value) {
  program.steps.erase(program.steps.begin() + value);
  const auto rename = [&](std::vector<int> &list) {
    for (int &v : list) v -= v > value;
  };
  for (Step &s : program.steps) rename(s.operands);
  rename(program.outputs);
  return program;
}

} // namespace

Program shrink(const Program &program, const Mode &mode) {
  Program best = program;
  const auto keepIfFails = [&](const Program &smaller) {
    const bool worse = fails(smaller, mode);
    if (worse) best = smaller;
    return worse;
  };
  for (size_t k = best.outputs.size(); k-- > 0 && best.outputs.size() > 0;) {
    Program smaller = best;
    smaller.outputs.erase(smaller.outputs.begin() + static_cast<long>(k));
    keepIfFails(smaller);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t k = best.steps.size(); k-- > 0;) {
      if (!used(best, static_cast<int>(k))) {
        // An unused step may still write, draw or allocate.
        changed |= keepIfFails(without(best, static_cast<int>(k)));
        continue;
      }
      const Kind kind = best.steps[k].kind;
      if (kind == Kind::Frozen || kind == Kind::Leaf) continue;
      Snapshots snapshots(best.steps.size());
      try {
        Inputs inputs(best, {});
        execute(best, inputs, &snapshots);
      } catch (const std::exception &) {
      }
      if (!snapshots.values[k].defined()) continue;
      Program smaller = best;
      smaller.steps[k] = Step(Kind::Frozen);
      smaller.steps[k].frozen = snapshots.values[k];
      changed |= keepIfFails(smaller);
    }
  }
  return best;
}

} // namespace tensorjit::fuzz
