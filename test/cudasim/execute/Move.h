#pragma once
#include "decode/Program.h"

namespace cudasim::move {

void narrow(Warp &, const Instr &, uint32_t active);
void widen(Warp &, const Instr &, uint32_t active);
void widenSigned(Warp &, const Instr &, uint32_t active);
void special32(Warp &, const Instr &, uint32_t active);
void special64(Warp &, const Instr &, uint32_t active);
/// The address of a local variable of this call.
void localAddress32(Warp &, const Instr &, uint32_t active);
void localAddress64(Warp &, const Instr &, uint32_t active);

/// The number of "%tid.x" and its like; -1 for an unknown name.
int specialRegister(const std::string &name);

} // namespace cudasim::move
