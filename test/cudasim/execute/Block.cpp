#include "execute/Block.h"

#include "device/Settings.h"
#include "execute/Grid.h"

#include <algorithm>
#include <bit>

namespace cudasim {

Block::Block(Grid &grid, uint64_t number)
    : grid(grid), ctaid{static_cast<uint32_t>(number % grid.shape.grid[0]),
                        static_cast<uint32_t>(number / grid.shape.grid[0] % grid.shape.grid[1]),
                        static_cast<uint32_t>(number / grid.shape.grid[0] / grid.shape.grid[1])},
      shared(grid.program.staticSharedBytes + grid.shape.dynamicShared) {
  uint32_t threads = grid.shape.threads();
  for (uint32_t first = 0; first < threads; first += 32) {
    uint32_t lanes = threads - first >= 32 ? allLanes : (1u << (threads - first)) - 1;
    running_ |= 1u << warps.size();
    warps.push_back(std::make_unique<Warp>(*this, static_cast<unsigned>(warps.size()), lanes));
  }
}

std::string Block::where() const {
  return "(" + std::to_string(ctaid[0]) + ", " + std::to_string(ctaid[1]) + ", " + std::to_string(ctaid[2]) + ")";
}

bool Block::step() {
  if (!running_) return false;
  uint32_t ready = 0;
  for (uint32_t rest = running_; rest; rest &= rest - 1) {
    auto i = static_cast<unsigned>(std::countr_zero(rest));
    if (warps[i]->isReady()) ready |= 1u << i;
  }
  if (!ready) {
    for (uint32_t rest = running_; rest; rest &= rest - 1) {
      Warp &w = *warps[std::countr_zero(rest)];
      if (!w.lanesAtBarrier() && w.breakMeeting()) return true;
    }
    reportDeadlock();
  }
  unsigned skip = grid.ordered ? 0 : grid.random() % std::popcount(ready);
  while (skip--) ready &= ready - 1;
  warps[std::countr_zero(ready)]->run(grid.ordered ? 4096 : 64 + grid.random() % 2048);
  return running_ != 0;
}

void Block::arrive(Warp &w, const Instr &in, unsigned number, unsigned expected, bool waits) {
  Barrier &b = barriers_[number];
  if (b.arrived && b.expected != expected)
    w.fault(FaultKind::Barrier, in,
            "warps arrive at barrier " + std::to_string(number) + " with different thread counts (" +
                std::to_string(b.expected) + " and " + std::to_string(expected) + ")");
  if (settings().checkBarriers && b.arrived && !b.expected && b.first != &in)
    w.fault(FaultKind::Barrier, in,
            "warp " + std::to_string(w.index) + " arrives at a different barrier than the other warps wait at");
  if (b.arrived >> w.index & 1)
    w.fault(FaultKind::Barrier, in,
            "warp " + std::to_string(w.index) + " arrives twice at barrier " + std::to_string(number));
  b.first = &in;
  b.expected = expected;
  b.arrived |= 1u << w.index;
  if (waits) b.waiting |= 1u << w.index;
  b.threads += 32;
  for (size_t i = 0; i < 32; ++i) b.clock[i] = std::max(b.clock[i], w.clock[i]);
  if (!waits) ++w.clock[w.index];
  completeIfFull(b);
}

void Block::completeIfFull(Barrier &b) {
  if (!b.arrived) return;
  bool full = b.expected ? b.threads >= b.expected : (running_ & ~b.arrived) == 0;
  if (full) deliver(b);
}

void Block::deliver(Barrier &b) {
  std::array<uint32_t, 32> known = b.clock;
  uint32_t waiting = b.waiting;
  b = Barrier();
  // bar.red: what the lanes voted, put together.
  uint32_t any = 0, all = ~0u, count = 0;
  for (uint32_t rest = waiting; rest; rest &= rest - 1)
    for (auto &f : warps[std::countr_zero(rest)]->fragments)
      if (f->state == Fragment::AtBarrier) {
        any |= f->waitMask;
        all &= f->waitMask | ~f->mask;
        count += static_cast<unsigned>(std::popcount(f->waitMask & f->mask));
      }
  for (uint32_t rest = waiting; rest; rest &= rest - 1) {
    Warp &w = *warps[std::countr_zero(rest)];
    for (auto &f : w.fragments) {
      if (f->state != Fragment::AtBarrier || !f->waiting->flags) continue;
      auto *words = reinterpret_cast<uint32_t *>(f->frame->data);
      if (f->waiting->flags == 3) { // popc
        auto *row = reinterpret_cast<uint32_t *>(f->frame->data + f->waiting->dst);
        for (uint32_t lanes = f->mask; lanes; lanes &= lanes - 1) row[std::countr_zero(lanes)] = count;
      } else {
        bool result = f->waiting->flags == 1 ? all == ~0u : any != 0;
        uint32_t &p = words[f->waiting->dst];
        p = (p & ~f->mask) | (result ? f->mask : 0);
      }
    }
    w.clock = known;
    ++w.clock[w.index];
    w.releaseBarrier();
  }
}

void Block::warpEnded(Warp &w) {
  if (w.isDone()) running_ &= ~(1u << w.index);
  else if (w.lanesAtBarrier() == w.alive) { // only lanes that have ended kept the warp from arriving
    const Fragment *waits = nullptr;
    for (auto &f : w.fragments)
      if (f->state == Fragment::AtBarrier) waits = f.get();
    if (waits && !(barriers_[waits->barrier].arrived >> w.index & 1))
      return arrive(w, *waits->waiting, waits->barrier, waits->expected, true);
  }
  for (Barrier &b : barriers_)
    if (!b.expected) completeIfFull(b);
}

void Block::reportDeadlock() {
  for (uint32_t rest = running_; rest; rest &= rest - 1) {
    Warp &w = *warps[std::countr_zero(rest)];
    uint32_t lanes = w.lanesAtBarrier();
    const Instr *waits = nullptr;
    for (auto &f : w.fragments)
      if (f->state == Fragment::AtBarrier) waits = f->waiting;
    if (lanes && lanes != w.alive)
      w.fault(FaultKind::Barrier, *waits,
              std::to_string(std::popcount(lanes)) + " lanes of warp " + std::to_string(w.index) +
                  " wait at a barrier that its other lanes do not reach");
  }
  for (uint32_t rest = running_; rest; rest &= rest - 1) {
    Warp &w = *warps[std::countr_zero(rest)];
    for (auto &f : w.fragments) {
      if (f->state == Fragment::AtWarpSync)
        w.fault(FaultKind::WarpSync, *f->waiting,
                "lanes of the mask " + std::to_string(f->waitMask) + " never come (here: " + std::to_string(f->mask) +
                    ")",
                std::countr_zero(f->mask));
    }
  }
  for (uint32_t rest = running_; rest; rest &= rest - 1) {
    Warp &w = *warps[std::countr_zero(rest)];
    for (auto &f : w.fragments)
      if (f->state == Fragment::AtBarrier)
        w.fault(FaultKind::Deadlock, *f->waiting,
                "warp " + std::to_string(w.index) + " waits at barrier " + std::to_string(f->barrier) +
                    ", which too few warps reach");
  }
  throw KernelFault(FaultKind::Deadlock,
                    "deadlock in kernel '" + grid.program.name + "': no warp of block " + where() + " can go on");
}

} // namespace cudasim
