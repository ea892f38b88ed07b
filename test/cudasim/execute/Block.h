#pragma once
#include "execute/SharedMemory.h"
#include "execute/Warp.h"

#include <memory>
#include <vector>

namespace cudasim {

class Grid;

/// A thread block: its warps, shared memory and barriers.
class Block {
public:
  Block(Grid &grid, uint64_t number);

  /// Runs some warp for a while. False: the block has ended.
  bool step();

  void arrive(Warp &w, const Instr &in, unsigned barrier, unsigned expectedThreads, bool waits);
  void warpEnded(Warp &w);
  std::string where() const;

  Grid &grid;
  uint32_t ctaid[3];
  SharedMemory shared;
  std::vector<std::unique_ptr<Warp>> warps;

private:
  struct Barrier {
    uint32_t arrived = 0, waiting = 0;  ///< warps
    unsigned threads = 0, expected = 0; ///< expected 0: all
    const Instr *first = nullptr;
    std::array<uint32_t, 32> clock{};
  };
  void completeIfFull(Barrier &barrier);
  void deliver(Barrier &barrier);
  [[noreturn]] void reportDeadlock();

  Barrier barriers_[16];
  uint32_t running_ = 0; ///< warps that have not ended
};

} // namespace cudasim
