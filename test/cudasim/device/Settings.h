#pragma once
#include <cstdint>
#include <string>

namespace cudasim {

/// What the environment asks for; read once, when the driver is initialised.
struct Settings {
  uint64_t seed = 1;                        ///< CUDASIM_SEED: orders blocks, warps and copies; 0 runs them in order
  std::string reportFile, countersFile;     ///< CUDASIM_REPORT, CUDASIM_COUNTERS
  bool checkUninitialized = true;           ///< CUDASIM_CHECKS without "uninitialized"
  bool checkRaces = true;                   ///< "races"
  bool checkBarriers = true;                ///< "barriers": all warps must wait at the same one
  uint64_t instructionLimit = 200000000;    ///< CUDASIM_INSTRUCTION_LIMIT, of one warp
  uint64_t memoryBytes = uint64_t(8) << 30; ///< CUDASIM_MEMORY: what the device claims to have
  int architecture = 90;                    ///< CUDASIM_ARCH: compute capability 9.0
};
const Settings &settings();

} // namespace cudasim
