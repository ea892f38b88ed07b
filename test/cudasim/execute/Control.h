#pragma once
#include "decode/Program.h"

namespace cudasim::control {

void branch(Warp &, const Instr &, uint32_t active);
void branchUniform(Warp &, const Instr &, uint32_t active);
void branchAround(Warp &, const Instr &, uint32_t active);
void branchIndexed(Warp &, const Instr &, uint32_t active);
void converge(Warp &, const Instr &, uint32_t active);
void ret(Warp &, const Instr &, uint32_t active);

} // namespace cudasim::control
