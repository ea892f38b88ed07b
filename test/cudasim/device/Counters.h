#pragma once
#include "decode/Program.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>

namespace cudasim {

/// Requests of warps to one kind of memory.
struct Traffic {
  uint64_t requests = 0, bytes = 0; ///< bytes: what the lanes asked for
  uint64_t sectors = 0;             ///< 32-byte sectors, summed over requests
  uint64_t uniqueSectors = 0;       ///< each sector once a launch
};

struct KernelCounters {
  uint64_t launches = 0, blocks = 0;
  uint64_t warpInstructions = 0, laneInstructions = 0;
  std::array<uint64_t, static_cast<size_t>(OpClass::Count)> byClass{};
  Traffic globalLoad, globalStore, atomic;
  uint64_t sharedRequests = 0, sharedWaves = 0, bankConflicts = 0; ///< conflicts: waves beyond the fewest possible
  void add(const KernelCounters &other);
};

struct Counters {
  std::map<std::string, KernelCounters> kernels;
  struct Copies {
    uint64_t count = 0, bytes = 0;
  };
  Copies hostToDevice, deviceToHost, deviceToDevice, hostToHost, memset;
  uint64_t allocations = 0, allocatedBytes = 0, frees = 0, hostAllocations = 0, modules = 0, graphLaunches = 0,
           synchronizations = 0;

  KernelCounters total() const;
  std::string json() const;
};
Counters &counters();

} // namespace cudasim
