#include "decode/Builder.h"
#include "execute/Block.h"
#include "execute/Rows.h"

#include <bit>

namespace cudasim {
namespace {

using ptx::Type;

/// a: the barrier's number, b: the number of threads (0: all), c: the predicate of bar.red; flags: 1 and, 2 or, 3 popc.
void wait(Warp &w, const Instr &in, uint32_t active) {
  auto lane = static_cast<unsigned>(std::countr_zero(active));
  unsigned number = w.row<uint32_t>(in.a)[lane], threads = w.row<uint32_t>(in.b)[lane];
  if (number >= 16)
    w.fault(FaultKind::Barrier, in, "there is no barrier " + std::to_string(number), static_cast<int>(lane));
  w.parkAtBarrier(in, in.flags ? w.pred(in.c) & active : 0, number, threads);
  if (w.lanesAtBarrier() != w.alive) return;
  for (auto &f : w.fragments)
    if (f->waiting != &in)
      w.fault(FaultKind::Barrier, in, "lanes of warp " + std::to_string(w.index) + " wait at different barriers");
  w.block.arrive(w, in, number, threads, true);
}

void arrive(Warp &w, const Instr &in, uint32_t active) {
  auto lane = static_cast<unsigned>(std::countr_zero(active));
  unsigned number = w.row<uint32_t>(in.a)[lane], threads = w.row<uint32_t>(in.b)[lane];
  if (number >= 16)
    w.fault(FaultKind::Barrier, in, "there is no barrier " + std::to_string(number), static_cast<int>(lane));
  if (active != w.alive)
    w.fault(FaultKind::Barrier, in, "bar.arrive by some lanes of a warp only", static_cast<int>(lane));
  w.block.arrive(w, in, number, threads, false);
}

void warpSync(Warp &w, const Instr &in, uint32_t active) {
  const uint32_t members = w.row<uint32_t>(in.a)[std::countr_zero(active)];
  if (w.gather(in, active, members)) w.orderLanes(members);
}

void fence(Warp &w, const Instr &, uint32_t) { w.fenced = true; }
void nothing(Warp &, const Instr &, uint32_t) {}

void decodeBar(Builder &b) {
  b.requireSynchronization();
  if (b.has(".warp")) {
    b.emit(warpSync, OpClass::Barrier, 0, b.read(0, Type::B32));
    return;
  }
  if (b.has(".cluster")) { // a cluster is one block here
    b.emit(b.has(".wait") ? fence : nothing, OpClass::Barrier);
    return;
  }
  b.allowOnly({".cta", ".sync", ".aligned", ".arrive", ".red", ".popc", ".and", ".or"});
  bool reduces = b.has(".red");
  size_t at = reduces ? 1 : 0, count = b.in().operands.size();
  PredRef votes = reduces ? b.readPred(count - 1) : 0;
  bool hasThreads = count > at + (reduces ? 2 : 1);
  Ref number = b.read(at, Type::U32);
  Ref threads = hasThreads ? b.read(at + 1, Type::U32) : b.constant(0, false);
  Ref d = !reduces ? 0 : b.has(".popc") ? b.write(0, Type::U32) : b.writePred(b.operand(0));
  if (b.has(".arrive") && !hasThreads) b.refuse("bar.arrive needs a number of threads");
  b.emit(b.has(".arrive") ? arrive : wait, OpClass::Barrier, d, number, threads, votes).flags =
      static_cast<uint8_t>(!reduces        ? 0
                           : b.has(".and") ? 1
                           : b.has(".or")  ? 2
                                           : 3);
}

void decodeFence(Builder &b) { b.emit(fence, OpClass::Barrier); }
void decodeNothing(Builder &b) { b.emit(nothing, OpClass::Move); }

constexpr Opcode opcodes[] = {{"bar", decodeBar},
                              {"barrier", decodeBar},
                              {"fence", decodeFence},
                              {"membar", decodeFence},
                              {"nanosleep", decodeNothing},
                              {"griddepcontrol", decodeNothing},
                              {"setmaxnreg", decodeNothing},
                              {"pmevent", decodeNothing}};

} // namespace

std::span<const Opcode> barrierOpcodes() { return opcodes; }

} // namespace cudasim
