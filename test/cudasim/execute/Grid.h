#pragma once
#include "decode/Program.h"
#include "device/Counters.h"
#include "execute/Block.h"

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

namespace cudasim {

struct LaunchShape {
  uint32_t grid[3], block[3];
  uint32_t dynamicShared;
  bool cooperative;
  uint64_t blocks() const { return uint64_t(grid[0]) * grid[1] * grid[2]; }
  uint32_t threads() const { return block[0] * block[1] * block[2]; }
};

/// One launch of a kernel, run in slices.
class Grid {
public:
  Grid(const Program &program, const LaunchShape &shape, std::vector<std::byte> parameters, uint64_t seed);
  ~Grid();

  /// Runs for a while. True: the kernel has ended. Throws `KernelFault`.
  bool step();

  const Program &program;
  const LaunchShape shape;
  const std::vector<std::byte> parameters;
  KernelCounters counters;
  const uint32_t number; ///< of the launch
  std::minstd_rand random;
  const bool ordered; ///< seed 0: blocks and warps run in their order
  const bool checkUninitialized, checkRaces;
  std::vector<std::byte *> freeFrames; ///< of the kernel's own code

private:
  uint64_t blockAt(uint64_t position) const;
  void admit();
  void finish();

  uint64_t started_ = 0, stalledSteps_ = 0;
  size_t resident_;
  uint64_t factor_ = 1, offset_ = 0;
  std::vector<std::unique_ptr<Block>> blocks_;
  bool done_ = false;
};

} // namespace cudasim
