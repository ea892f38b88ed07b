#include "execute/Control.h"

#include "execute/Rows.h"

namespace cudasim::control {

void branch(Warp &w, const Instr &in, uint32_t active) { w.branch(active, static_cast<uint32_t>(in.imm), in.aux2); }
void branchAround(Warp &w, const Instr &in, uint32_t active) { branch(w, in, active); }

void branchUniform(Warp &w, const Instr &in, uint32_t active) {
  if (active != w.mask)
    w.fault(FaultKind::InvalidInstruction, in, "bra.uni: the lanes of a warp disagree about the condition");
  branch(w, in, active);
}

void branchIndexed(Warp &w, const Instr &in, uint32_t active) {
  const uint32_t *index = w.row<uint32_t>(in.a);
  uint32_t targets[32];
  eachLane(active, [&](unsigned i) {
    if (index[i] >= in.small)
      w.fault(FaultKind::InvalidInstruction, in,
              "brx.idx: index " + std::to_string(index[i]) + " of " + std::to_string(in.small) + " targets",
              static_cast<int>(i));
    targets[i] = in.more[index[i]];
  });
  w.branchMany(targets, active, in.aux2);
}

void converge(Warp &w, const Instr &, uint32_t) { w.converge(); }
void ret(Warp &w, const Instr &, uint32_t active) { w.ret(active); }

} // namespace cudasim::control
