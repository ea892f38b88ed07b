#include "decode/Registers.h"

#include <algorithm>
#include <queue>
#include <set>

namespace cudasim {

unsigned destinationCount(const ptx::Instruction &in) {
  static const std::set<std::string> none = {
      "st",      "red",           "bra",       "brx",      "bar",      "barrier",    "ret",
      "exit",    "trap",          "cp",        "stmatrix", "prefetch", "prefetchu",  "fence",
      "membar",  "call",          "nanosleep", "discard",  "brkpt",    "setmaxnreg", "griddepcontrol",
      "pmevent", "applypriority", "mbarrier"};
  if ((in.opcode == "bar" || in.opcode == "barrier") && in.has(".red")) return 1;
  if (in.opcode == "wmma" && in.has(".store")) return 0;
  if (in.opcode == "mbarrier" && !in.operands.empty())
    return in.operands[0].kind == ptx::Operand::Reg || in.operands[0].kind == ptx::Operand::Sink ? 1 : 0;
  return none.count(in.opcode) ? 0 : 1;
}

namespace {

using Bits = std::vector<uint64_t>;

struct Access {
  std::vector<int> reads, writes;
};

void registersOf(const ptx::Operand &o, std::vector<int> &out) {
  if (o.reg >= 0) out.push_back(o.reg);
  if (o.pair >= 0) out.push_back(o.pair);
  for (auto &e : o.elements) registersOf(e, out);
}

Access accessOf(const Step &step) {
  Access access;
  const ptx::Instruction &in = *step.in;
  if (in.guard >= 0 && !step.dropGuard) access.reads.push_back(in.guard);
  if (step.isBranchAround) return access;
  unsigned written = destinationCount(in);
  for (size_t i = 0; i < in.operands.size(); ++i)
    registersOf(in.operands[i],
                i < written && in.operands[i].kind != ptx::Operand::Address ? access.writes : access.reads);
  return access;
}

/// The steps between which a register holds a value that is needed, as one interval.
struct Interval {
  int reg, begin, end;
};

class LiveIntervals {
public:
  LiveIntervals(const ControlFlow &flow, size_t registers) : flow_(flow), words_((registers + 63) / 64) {
    for (const Step &s : flow.steps) accesses_.push_back(accessOf(s));
    solve();
    begin_.assign(registers, 1 << 30);
    end_.assign(registers, -1);
    for (size_t b = 0; b < flow.blocks.size(); ++b) {
      const FlowBlock &block = flow.blocks[b];
      touchAll(liveIn_[b], block.begin);
      touchAll(liveOut_[b], block.end);
      for (int i = block.begin; i < block.end; ++i) {
        for (int r : accesses_[i].reads) touch(r, i);
        for (int r : accesses_[i].writes) touch(r, i);
      }
    }
  }

  std::vector<Interval> sorted() const {
    std::vector<Interval> out;
    for (size_t r = 0; r < begin_.size(); ++r)
      if (end_[r] >= 0) out.push_back({static_cast<int>(r), begin_[r], end_[r]});
    std::sort(out.begin(), out.end(), [](auto &x, auto &y) { return x.begin < y.begin; });
    return out;
  }

private:
  void touch(int r, int at) {
    begin_[r] = std::min(begin_[r], at);
    end_[r] = std::max(end_[r], at);
  }
  void touchAll(const Bits &bits, int at) {
    for (size_t w = 0; w < words_; ++w)
      for (uint64_t rest = bits[w]; rest; rest &= rest - 1) touch(static_cast<int>(w * 64) + __builtin_ctzll(rest), at);
  }

  void solve() {
    size_t count = flow_.blocks.size();
    std::vector<Bits> use(count, Bits(words_)), kill(count, Bits(words_));
    liveIn_ = liveOut_ = use;
    auto set = [](Bits &bits, int r) { bits[r / 64] |= uint64_t(1) << (r % 64); };
    auto has = [](const Bits &bits, int r) { return bits[r / 64] >> (r % 64) & 1; };
    for (size_t b = 0; b < count; ++b)
      for (int i = flow_.blocks[b].begin; i < flow_.blocks[b].end; ++i) {
        bool guarded = flow_.steps[i].in->guard >= 0 && !flow_.steps[i].dropGuard;
        for (int r : accesses_[i].reads)
          if (!has(kill[b], r)) set(use[b], r);
        for (int r : accesses_[i].writes) { // a guarded write keeps the old value in other lanes
          if (guarded && !has(kill[b], r)) set(use[b], r);
          else set(kill[b], r);
        }
      }
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t b = count; b-- > 0;)
        for (size_t w = 0; w < words_; ++w) {
          uint64_t out = 0;
          for (int s : flow_.blocks[b].successors) out |= liveIn_[s][w];
          uint64_t in = use[b][w] | (out & ~kill[b][w]);
          changed |= in != liveIn_[b][w];
          liveOut_[b][w] = out;
          liveIn_[b][w] = in;
        }
    }
  }

  const ControlFlow &flow_;
  size_t words_;
  std::vector<Access> accesses_;
  std::vector<Bits> liveIn_, liveOut_;
  std::vector<int> begin_, end_;
};

uint32_t unitsOf(ptx::Type type) { return std::max(1u, ptx::byteSize(type) / 4); }

} // namespace

RegisterAllocation::RegisterAllocation(const ptx::Function &function, const ControlFlow &flow) {
  at.assign(function.registers.size(), 0);
  struct Busy {
    int end;
    uint32_t at;
    unsigned kind;
    bool operator>(const Busy &other) const { return end > other.end; }
  };
  std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy;
  std::vector<uint32_t> free[6]; // by kind: 0 for predicates, else units
  for (const Interval &interval : LiveIntervals(flow, function.registers.size()).sorted()) {
    // Strictly before: a result never lies over an operand of the same instruction.
    while (!busy.empty() && busy.top().end < interval.begin) {
      free[busy.top().kind].push_back(busy.top().at);
      busy.pop();
    }
    ptx::Type type = function.registers[interval.reg].type;
    unsigned kind = type == ptx::Type::Pred ? 0 : unitsOf(type);
    uint32_t place;
    if (!free[kind].empty()) {
      place = free[kind].back();
      free[kind].pop_back();
    } else if (kind == 0) {
      place = predicates++;
    } else {
      place = units;
      units += kind;
    }
    at[interval.reg] = place;
    busy.push({interval.end, place, kind});
  }
}

} // namespace cudasim
