#include "decode/ControlFlow.h"

#include <algorithm>
#include <set>

namespace cudasim {

bool isBranch(const ptx::Instruction &in) { return in.opcode == "bra" || in.opcode == "brx"; }
bool endsThread(const ptx::Instruction &in) { return in.opcode == "ret" || in.opcode == "exit"; }
bool isCollective(const ptx::Instruction &in) {
  static const std::set<std::string> names = {"bar",  "barrier", "shfl", "vote",     "match",    "redux",    "mma",
                                              "wmma", "call",    "trap", "ldmatrix", "stmatrix", "movmatrix"};
  return names.count(in.opcode) != 0;
}

ControlFlow::ControlFlow(const ptx::Function &function) {
  makeSteps(function);
  makeBlocks();
  findPostDominators();
}

void ControlFlow::makeSteps(const ptx::Function &function) {
  for (const ptx::Instruction &in : function.body) {
    stepOf.push_back(static_cast<int>(steps.size()));
    bool around = in.guard >= 0 && (endsThread(in) || isCollective(in));
    if (around) steps.push_back({&in, true, false, static_cast<int>(steps.size()) + 2});
    steps.push_back({&in, false, around, -1});
  }
  stepOf.push_back(static_cast<int>(steps.size()));
  for (Step &step : steps)
    if (!step.isBranchAround && step.in->opcode == "bra") step.target = stepOf[step.in->operands.at(0).value];
}

void ControlFlow::makeBlocks() {
  int count = static_cast<int>(steps.size());
  std::set<int> leaders = {0};
  auto ends = [&](const Step &s) { return s.isBranchAround || isBranch(*s.in) || endsThread(*s.in); };
  for (int i = 0; i < count; ++i) {
    const Step &s = steps[i];
    if (s.target >= 0) leaders.insert(s.target);
    if (s.in->opcode == "brx")
      for (int at : s.in->targetAt) leaders.insert(stepOf[at]);
    if (ends(s) || (s.in->opcode == "call" && !s.isBranchAround)) leaders.insert(i + 1);
  }
  leaders.insert(count); // falling off the end
  blockOf.assign(count + 1, 0);
  std::vector<int> starts(leaders.begin(), leaders.end());
  for (size_t b = 0; b < starts.size(); ++b) {
    int end = b + 1 < starts.size() ? starts[b + 1] : count;
    for (int i = starts[b]; i < end; ++i) blockOf[i] = static_cast<int>(b);
    blocks.push_back({starts[b], end, {}, {}, -1});
  }
  blockOf[count] = static_cast<int>(blocks.size()) - 1;
  for (FlowBlock &block : blocks) {
    if (block.begin == block.end) continue; // the end
    const Step &last = steps[block.end - 1];
    auto add = [&](int step) { block.successors.push_back(blockOf[step]); };
    if (last.isBranchAround) {
      add(last.target);
      add(block.end);
    } else if (last.in->opcode == "bra") {
      add(last.target);
      if (last.in->guard >= 0) add(block.end);
    } else if (last.in->opcode == "brx") {
      for (int at : last.in->targetAt) add(stepOf[at]);
      if (last.in->guard >= 0) add(block.end);
    } else if (!endsThread(*last.in)) {
      add(block.end);
    }
  }
  for (size_t b = 0; b < blocks.size(); ++b)
    for (int s : blocks[b].successors) blocks[s].predecessors.push_back(static_cast<int>(b));
}

bool ControlFlow::isLoneReturn(int block) const {
  const FlowBlock &b = blocks[block];
  return b.end == b.begin + 1 && endsThread(*steps[b.begin].in);
}

/// Of each block, the blocks where lanes may go on; `count` is the virtual exit.
///
/// A branch to a lone `ret` ends lanes and says nothing about where the others meet again, so it counts only where
/// nothing else leads to the exit: at the end of a loop that is the kernel's last.
std::vector<std::vector<int>> ControlFlow::waysOn() const {
  int count = static_cast<int>(blocks.size()), exit = count;
  std::vector<std::vector<int>> ways(count + 1);
  for (int b = 0; b < count; ++b) {
    ways[b] = blocks[b].successors;
    if (ways[b].size() > 1) std::erase_if(ways[b], [&](int s) { return isLoneReturn(s); });
    if (ways[b].empty()) ways[b].push_back(exit);
  }
  std::vector<bool> ends(count + 1, false);
  ends[exit] = true;
  auto spread = [&] {
    for (bool changed = true; changed;) {
      changed = false;
      for (int b = count - 1; b >= 0; --b) {
        if (ends[b] || std::none_of(ways[b].begin(), ways[b].end(), [&](int s) { return ends[s]; })) continue;
        ends[b] = changed = true;
      }
    }
  };
  spread();
  for (int b = count - 1; b >= 0; --b) {
    if (ends[b] || ways[b].size() == blocks[b].successors.size()) continue;
    ways[b] = blocks[b].successors;
    spread();
  }
  return ways;
}

/// Cooper, Harvey, Kennedy: "A simple, fast dominance algorithm", on the reversed graph with one virtual exit.
void ControlFlow::findPostDominators() {
  int count = static_cast<int>(blocks.size()), exit = count;
  std::vector<int> order, number(count + 1, -1);
  const std::vector<std::vector<int>> into = waysOn(); // predecessors in the reversed graph
  std::vector<std::vector<int>> out(count + 1);
  for (int b = 0; b < count; ++b)
    for (int s : into[b]) out[s].push_back(b);
  std::vector<std::pair<int, size_t>> stack = {{exit, 0}};
  std::vector<bool> seen(count + 1, false);
  seen[exit] = true;
  while (!stack.empty()) {
    auto &[b, next] = stack.back();
    if (next < out[b].size()) {
      int s = out[b][next++];
      if (!seen[s]) {
        seen[s] = true;
        stack.push_back({s, 0});
      }
    } else {
      number[b] = static_cast<int>(order.size());
      order.push_back(b);
      stack.pop_back();
    }
  }
  std::vector<int> dominator(count + 1, -1);
  dominator[exit] = exit;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      int b = *it, best = -1;
      if (b == exit) continue;
      for (int s : into[b]) {
        if (dominator[s] < 0) continue;
        if (best < 0) {
          best = s;
          continue;
        }
        for (int x = s; x != best;) {
          while (number[x] < number[best]) x = dominator[x];
          while (number[best] < number[x]) best = dominator[best];
        }
      }
      if (dominator[b] != best) {
        dominator[b] = best;
        changed = true;
      }
    }
  }
  // Blocks that cannot reach the exit (endless loops) keep -1. Lanes need not meet to end.
  for (int b = 0; b < count; ++b)
    blocks[b].postDominator =
        dominator[b] == exit || (dominator[b] >= 0 && isLoneReturn(dominator[b])) ? -1 : dominator[b];
}

} // namespace cudasim
