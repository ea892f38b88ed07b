#pragma once
#include "decode/ControlFlow.h"

#include <cstdint>
#include <vector>

namespace cudasim {

/// Which of the operands an instruction writes: the first so many.
unsigned destinationCount(const ptx::Instruction &in);

/// Gives registers with separate live ranges the same rows, so that a warp's registers stay in the cache.
struct RegisterAllocation {
  std::vector<uint32_t> at; ///< register -> unit of 4 bytes a lane, or index of a predicate (from 1)
  uint32_t units = 0, predicates = 1;

  RegisterAllocation(const ptx::Function &function, const ControlFlow &flow);
};

} // namespace cudasim
