#include "execute/Warp.h"

#include "device/Settings.h"
#include "execute/Block.h"
#include "execute/Grid.h"
#include "execute/Rows.h"
#include "execute/Special.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

namespace cudasim {

Warp::Warp(Block &block, unsigned index, uint32_t lanes) : block(block), index(index), alive(lanes) {
  base[1] = reinterpret_cast<const std::byte *>(block.grid.program.constants.data());
  clock[index] = 1;
  Frame *frame = newFrame(block.grid.program.entry(), nullptr, lanes);
  load(add(lanes, 0, frame, nullptr));
}

Warp::~Warp() {
  std::vector<Frame *> frames;
  for (auto &f : fragments)
    for (Frame *frame = f->frame; frame; frame = frame->caller) frames.push_back(frame);
  for (Group *g : liveGroups_) {
    for (Frame *frame = g->frame; frame; frame = frame->caller) frames.push_back(frame);
    delete g;
  }
  std::sort(frames.begin(), frames.end());
  frames.erase(std::unique(frames.begin(), frames.end()), frames.end());
  for (Frame *frame : frames) {
    std::free(frame->data);
    delete frame;
  }
}

unsigned Warp::random(unsigned below) { return block.grid.ordered ? 0 : block.grid.random() % below; }

Frame *Warp::newFrame(const Code &code, Frame *caller, uint32_t lanes) {
  auto *frame = new Frame;
  auto &pool = block.grid.freeFrames;
  if (!caller && !pool.empty()) {
    frame->data = pool.back();
    pool.pop_back();
  } else {
    frame->data = static_cast<std::byte *>(std::aligned_alloc(64, code.frameBytes));
  }
  // Registers that were never written hold noise on a device; they hold the same noise in every run here.
  std::memset(frame->data, 0xCB, code.rowsEnd);
  std::memset(frame->data, 0, code.numPredicates * 4);
  std::memset(frame->data, 0xff, 4); // the predicate that is always true
  frame->code = &code;
  frame->caller = caller;
  frame->alive = lanes;
  // At least a little for each call, so that a recursion without end meets the limit.
  if (caller) frame->localBase = caller->localBase + std::max(64u, caller->code->localBytes);
  return frame;
}

Fragment *Warp::add(uint32_t lanes, uint32_t at, Frame *frame, Group *group) {
  auto fragment = std::make_unique<Fragment>();
  fragment->mask = lanes;
  fragment->pc = at;
  fragment->frame = frame;
  fragment->group = group;
  fragments.push_back(std::move(fragment));
  return fragments.back().get();
}

void Warp::drop(Fragment *fragment) {
  if (current == fragment) current = nullptr;
  std::erase_if(fragments, [&](auto &f) { return f.get() == fragment; });
}

void Warp::save() {
  if (current) {
    current->pc = pc;
    current->mask = mask;
  }
}

void Warp::load(Fragment *fragment) {
  current = fragment;
  if (!fragment) return;
  pc = fragment->pc;
  mask = fragment->mask;
  enter(fragment->frame);
}

void Warp::enter(Frame *frame) {
  base[0] = frame->data;
  code_ = frame->code->instrs.data();
}

bool Warp::isReady() const {
  return std::any_of(fragments.begin(), fragments.end(), [](auto &f) { return f->state == Fragment::Ready; });
}

/// Some ready fragment becomes the running one.
void Warp::pick() {
  Fragment *chosen = nullptr;
  unsigned seen = 0;
  for (auto &f : fragments)
    if (f->state == Fragment::Ready && (!chosen || random(++seen + 1) == 1)) chosen = f.get();
  load(chosen);
}

void Warp::run(unsigned quantum) {
  quantum_ = quantum;
  while (quantum_) {
    if (!current || current->state != Fragment::Ready) pick();
    if (!current) return;
    runFragment();
  }
  if (fragments.size() > 1) { // no fragment waits for ever while another spins
    save();
    auto at = std::find_if(fragments.begin(), fragments.end(), [&](auto &f) { return f.get() == current; });
    if (at != fragments.end()) std::rotate(at, at + 1, fragments.end());
    current = nullptr;
  }
}

void Warp::runFragment() {
  KernelCounters &c = block.grid.counters;
  uint64_t lanes = 0, count = 0;
  while (quantum_ && current) {
    const Instr &in = code_[pc++];
    uint32_t active = mask;
    if (in.guard) active &= pred(in.guard);
    --quantum_;
    ++count;
    ++c.byClass[static_cast<size_t>(in.opClass)];
    lanes += static_cast<unsigned>(std::popcount(active));
    if (active) in.run(*this, in, active);
  }
  c.laneInstructions += lanes;
  executed += count;
  if (executed > settings().instructionLimit && current) {
    fault(FaultKind::EndlessLoop, current->frame->code->instrs[pc ? pc - 1 : 0],
          "a warp has executed " + std::to_string(executed) + " instructions (CUDASIM_INSTRUCTION_LIMIT)",
          std::countr_zero(mask));
  }
}

Group *Warp::groupFor(uint32_t meetingPc) {
  Group *group = current->group;
  if (meetingPc == ~0u || (group && group->pc == meetingPc && group->frame == current->frame)) return group;
  auto *inner = new Group{group, current->frame, meetingPc, mask};
  liveGroups_.push_back(inner);
  return inner;
}

void Warp::branch(uint32_t taken, uint32_t target, uint32_t meetingPc) {
  if (taken == mask) {
    pc = target;
    return;
  }
  current->group = groupFor(meetingPc);
  uint32_t others = mask & ~taken, otherPc = pc;
  if (random(2)) {
    std::swap(taken, others);
    std::swap(target, otherPc);
  }
  mask = taken;
  pc = target;
  save();
  add(others, otherPc, current->frame, current->group);
}

void Warp::branchMany(const uint32_t *targets, uint32_t active, uint32_t meetingPc) {
  uint32_t first = targets[std::countr_zero(active)], same = 0;
  for (uint32_t rest = active; rest; rest &= rest - 1)
    if (targets[std::countr_zero(rest)] == first) same |= rest & -rest;
  if (same == mask) {
    pc = first;
    return;
  }
  current->group = groupFor(meetingPc);
  uint32_t idle = mask & ~active; // a guard held them back: they fall through
  uint32_t next = pc;
  for (uint32_t rest = active & ~same; rest;) {
    uint32_t target = targets[std::countr_zero(rest)], lanes = 0;
    for (uint32_t r = rest; r; r &= r - 1)
      if (targets[std::countr_zero(r)] == target) lanes |= r & -r;
    add(lanes, target, current->frame, current->group);
    rest &= ~lanes;
  }
  if (idle) add(idle, next, current->frame, current->group);
  mask = same;
  pc = first;
  save();
}

void Warp::converge() {
  uint32_t here = pc - 1;
  for (Group *group; (group = current->group) && group->pc == here && group->frame == current->frame;) {
    group->arrived |= mask;
    if (group->arrived != group->members) {
      Fragment *arrived = current;
      current = nullptr;
      drop(arrived);
      return;
    }
    mask = group->members;
    polls_ = 0;
    current->group = group->parent;
    std::erase(liveGroups_, group);
    delete group;
  }
  save();
}

/// Lanes leave for good: those that wait for them may go on.
void Warp::leaveGroups(Group *group, uint32_t lanes) {
  while (group) {
    Group *parent = group->parent;
    group->members &= ~lanes;
    if (group->members && group->arrived == group->members) add(group->members, group->pc, group->frame, parent);
    if (group->arrived == group->members) {
      std::erase(liveGroups_, group);
      delete group;
    }
    group = parent;
  }
}

void Warp::leaveFrames(Frame *frame, uint32_t lanes, Frame *upTo) {
  while (frame != upTo) {
    Frame *caller = frame->caller;
    frame->alive &= ~lanes;
    if (!frame->alive) {
      if (caller) std::free(frame->data);
      else block.grid.freeFrames.push_back(frame->data);
      delete frame;
    }
    frame = caller;
  }
}

void Warp::exit(uint32_t lanes) {
  alive &= ~lanes;
  mask &= ~lanes;
  Fragment *fragment = current;
  save();
  Group *group = fragment->group;
  Frame *frame = fragment->frame;
  if (!mask) drop(fragment);
  leaveGroups(group, lanes);
  leaveFrames(frame, lanes, nullptr);
  if (alive) retryWarpSyncs();
  block.warpEnded(*this);
}

void Warp::call(const Code &code, uint32_t lanes) {
  Frame *caller = current->frame;
  if (caller->localBase + caller->code->localBytes + code.localBytes > (512u << 10))
    fault(FaultKind::StackOverflow, caller->code->instrs[pc - 1],
          "the calls of a thread need more than 512 KiB of local memory", std::countr_zero(lanes));
  current->group = groupFor(pc); // after the call, where a meeting point lies
  if (lanes != mask) {
    add(mask & ~lanes, pc - 1, caller, current->group);
    mask = lanes;
  }
  Frame *frame = newFrame(code, caller, lanes);
  frame->returnPc = pc;
  pc = 0;
  current->frame = frame;
  enter(frame);
  save();
}

void Warp::ret(uint32_t lanes) {
  Frame *frame = current->frame;
  if (!frame->caller) return exit(lanes);
  Frame *caller = frame->caller;
  const Code &code = *frame->code;
  const Instr &site = caller->code->instrs[frame->returnPc - 1];
  const Ref *to = site.more; // count, then {at, stride, size} of each returned value
  for (uint32_t i = 0; i < to[0] && i < code.returns.size(); ++i) {
    uint32_t at = to[1 + 3 * i], stride = to[2 + 3 * i], size = std::min(to[3 + 3 * i], code.returns[i].size);
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
      auto lane = static_cast<uint32_t>(std::countr_zero(rest));
      std::memcpy(caller->data + at + lane * stride, frame->data + code.returns[i].at + lane * code.returns[i].stride,
                  size);
    }
  }
  if (lanes != mask) add(mask & ~lanes, pc, frame, current->group);
  mask = lanes;
  pc = frame->returnPc;
  current->frame = caller;
  enter(caller);
  save();
  leaveFrames(frame, lanes, caller);
}

void Warp::growLocal(uint32_t bytes) {
  uint32_t stride = (bytes + 255) / 256 * 256;
  std::vector<std::byte> data(size_t(stride) * 32, std::byte{0xCB});
  std::vector<uint8_t> state(size_t(stride) * 32, 0);
  for (size_t lane = 0; localStride && lane < 32; ++lane) {
    std::memcpy(data.data() + lane * stride, local.data() + lane * localStride, localStride);
    std::memcpy(state.data() + lane * stride, localState.data() + lane * localStride, localStride);
  }
  local = std::move(data);
  localState = std::move(state);
  localStride = stride;
}

bool Warp::gather(const Instr &in, uint32_t &active, uint32_t members) {
  if (active & ~members)
    fault(FaultKind::WarpSync, in, "a lane takes part that is not in the mask " + std::to_string(members),
          std::countr_zero(active & ~members));
  uint32_t needed = members & alive;
  if ((active & needed) == needed) return true;
  uint32_t here = active;
  for (auto &f : fragments)
    if (f->state == Fragment::AtWarpSync && f->waiting == &in && f->waitMask == members && f->frame == current->frame)
      here |= f->mask;
  if ((here & needed) != needed) {
    save();
    current->state = Fragment::AtWarpSync;
    current->waiting = &in;
    current->waitMask = members;
    current = nullptr;
    return false;
  }
  for (auto &f : fragments)
    if (f->state == Fragment::AtWarpSync && f->waiting == &in && f->waitMask == members && f->frame == current->frame)
      f->state = Fragment::Ready; // its pc is behind the instruction
  active = here;
  return true;
}

/// After lanes have ended: a wait that lacked only them is tried again.
void Warp::retryWarpSyncs() {
  for (auto &f : fragments) {
    if (f->state != Fragment::AtWarpSync) continue;
    uint32_t here = 0;
    for (auto &g : fragments)
      if (g->state == Fragment::AtWarpSync && g->waiting == f->waiting && g->waitMask == f->waitMask) here |= g->mask;
    if ((f->waitMask & alive & ~here) == 0) {
      f->state = Fragment::Ready;
      --f->pc;
    }
  }
}

void Warp::parkAtBarrier(const Instr &in, uint32_t predicate, unsigned barrier, unsigned expected) {
  save();
  current->barrier = barrier;
  current->expected = expected;
  current->state = Fragment::AtBarrier;
  current->waiting = &in;
  current->waitMask = predicate;
  current = nullptr;
}

uint32_t Warp::lanesAtBarrier() const {
  uint32_t lanes = 0;
  for (auto &f : fragments)
    if (f->state == Fragment::AtBarrier) lanes |= f->mask;
  return lanes;
}

void Warp::orderLanes(uint32_t members) {
  if ((members & alive) == alive) {
    lanesMetAt = accesses;
    known_.reset();
    return;
  }
  if (!known_) {
    known_ = std::make_unique<std::array<std::array<uint32_t, 32>, 32>>();
    for (auto &row : *known_) row.fill(lanesMetAt);
  }
  std::array<uint32_t, 32> all{};
  eachLane(members, [&](unsigned lane) {
    for (size_t i = 0; i < 32; ++i) all[i] = std::max(all[i], (*known_)[lane][i]);
  });
  eachLane(members, [&](unsigned lane) { all[lane] = accesses; });
  eachLane(members, [&](unsigned lane) { (*known_)[lane] = all; });
}

void Warp::releaseBarrier() {
  orderLanes(allLanes);
  for (auto &f : fragments)
    if (f->state == Fragment::AtBarrier) f->state = Fragment::Ready;
}

bool Warp::breakMeeting() {
  for (auto it = liveGroups_.rbegin(); it != liveGroups_.rend(); ++it) {
    Group *group = *it;
    if (!group->arrived) continue;
    add(group->arrived, group->pc, group->frame, group->parent);
    group->members &= ~group->arrived;
    group->arrived = 0;
    // The lanes that stay are no longer awaited by anyone: they keep the group until they pass it.
    return true;
  }
  return false;
}

std::string Warp::threadName(unsigned lane) const {
  uint32_t linear = index * 32 + lane;
  const uint32_t *size = block.grid.shape.block;
  auto n = [](uint64_t value) { return std::to_string(value); };
  return "thread (" + n(linear % size[0]) + ", " + n(linear / size[0] % size[1]) + ", " +
         n(linear / size[0] / size[1]) + ") of block " + block.where();
}

void Warp::fault(FaultKind kind, const Instr &in, const std::string &what, int lane) {
  std::string text = std::string(cudasim::name(kind)) + " in kernel '" + block.grid.program.name + "': " + what;
  Frame *frame = current ? current->frame : nullptr;
  for (auto &f : fragments)
    if (!frame && f->waiting == &in) frame = f->frame;
  const Code &code = frame ? *frame->code : block.grid.program.entry();
  if (in.step < code.origins.size() && code.origins[in.step]) {
    const ptx::Instruction &origin = *code.origins[in.step];
    text += "\n  at PTX line " + std::to_string(origin.line) + " (" + std::string(origin.text) + ")";
    if (origin.sourceLine) {
      auto &files = block.grid.program.module->files;
      auto file = files.find(origin.file);
      text += ", source line " + std::to_string(origin.sourceLine) + (file == files.end() ? "" : " of " + file->second);
    }
    if (code.function != block.grid.program.entry().function) text += ", in function '" + code.function->name + "'";
  }
  text += lane >= 0 ? "\n  by " + threadName(static_cast<unsigned>(lane)) : "\n  in block " + block.where();
  throw KernelFault(kind, text);
}

uint32_t Warp::special(int id, unsigned lane) const {
  const LaunchShape &shape = block.grid.shape;
  uint32_t linear = index * 32 + lane;
  switch (id) {
  case TidX: return linear % shape.block[0];
  case TidY: return linear / shape.block[0] % shape.block[1];
  case TidZ: return linear / shape.block[0] / shape.block[1];
  case NtidX:
  case NtidY:
  case NtidZ: return shape.block[id - NtidX];
  case CtaidX:
  case CtaidY:
  case CtaidZ: return block.ctaid[id - CtaidX];
  case NctaidX:
  case NctaidY:
  case NctaidZ: return shape.grid[id - NctaidX];
  case LaneId: return lane;
  case WarpId: return index;
  case NwarpId: return static_cast<uint32_t>(block.warps.size());
  case NsmId: return 132;
  case GridId: return block.grid.number;
  case LanemaskEq: return 1u << lane;
  case LanemaskLe: return (2u << lane) - 1;
  case LanemaskLt: return (1u << lane) - 1;
  case LanemaskGe: return ~0u << lane;
  case LanemaskGt: return lane == 31 ? 0 : ~0u << (lane + 1);
  case DynamicSmemSize: return shape.dynamicShared;
  case TotalSmemSize: return block.grid.program.staticSharedBytes + shape.dynamicShared;
  case One: return 1;
  case Clock:
  case GlobaltimerLo: return static_cast<uint32_t>(executed);
  case ClockHi:
  case GlobaltimerHi: return static_cast<uint32_t>(executed >> 32);
  default: return 0; // %smid, cluster ranks
  }
}

uint64_t Warp::special64(int id, unsigned lane) const {
  if (id == Clock64 || id == Globaltimer) return executed;
  return special(id, lane);
}

} // namespace cudasim
