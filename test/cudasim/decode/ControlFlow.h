#pragma once
#include "ptx/Module.h"

#include <vector>

namespace cudasim {

/// An instruction in the order of execution. A guarded instruction that the whole warp takes part in, or that leaves
/// the function, becomes a branch around its unguarded self.
struct Step {
  const ptx::Instruction *in;
  bool isBranchAround = false; ///< to `target`, where the guard does not hold
  bool dropGuard = false;
  int target = -1;
};

struct FlowBlock {
  int begin, end; ///< steps
  std::vector<int> successors, predecessors;
  int postDominator = -1; ///< the immediate one; -1: the exit
};

struct ControlFlow {
  std::vector<Step> steps;
  std::vector<int> stepOf; ///< body index -> first step
  std::vector<FlowBlock> blocks;
  std::vector<int> blockOf; ///< step -> block

  explicit ControlFlow(const ptx::Function &function);

private:
  void makeSteps(const ptx::Function &function);
  void makeBlocks();
  bool isLoneReturn(int block) const;
  std::vector<std::vector<int>> waysOn() const;
  void findPostDominators();
};

bool isBranch(const ptx::Instruction &in);
bool endsThread(const ptx::Instruction &in);
/// Whether the lanes of a warp act together in `in`.
bool isCollective(const ptx::Instruction &in);

} // namespace cudasim
