#pragma once
#include "decode/Program.h"
#include "device/Report.h"

#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace cudasim {

class Block;
class Grid;
constexpr uint32_t allLanes = ~0u;

/// The registers of one call, shared by the lanes that took part in it.
struct Frame {
  std::byte *data = nullptr;
  const Code *code = nullptr;
  Frame *caller = nullptr;
  uint32_t returnPc = 0;
  uint32_t alive = 0;
  uint32_t localBase = 0;
};

/// Lanes that parted at a branch and meet again at its immediate post-dominator.
struct Group {
  Group *parent;
  Frame *frame;
  uint32_t pc;
  uint32_t members, arrived = 0;
};

/// Lanes that run together.
struct Fragment {
  enum State : uint8_t { Ready, AtBarrier, AtWarpSync } state = Ready;
  uint32_t mask = 0, pc = 0;
  Frame *frame = nullptr;
  Group *group = nullptr;
  const Instr *waiting = nullptr;
  uint32_t waitMask = 0; ///< lanes of a warp-wide sync; lanes whose predicate holds at a bar.red
  unsigned barrier = 0, expected = 0;
};

/// A copy to shared memory that has been issued and has not landed.
struct AsyncCopy {
  struct Element {
    uint64_t source;
    uint32_t target;
    uint8_t lane, bytes, zeros;
  };
  std::vector<Element> elements;
  const Instr *instr;
};

class Warp {
public:
  Warp(Block &block, unsigned index, uint32_t lanes);
  ~Warp();
  Warp(const Warp &) = delete;

  /// Executes up to `quantum` instructions.
  void run(unsigned quantum);
  bool isReady() const;
  bool isDone() const { return alive == 0; }

  template <class T> T *row(Ref ref) {
    return reinterpret_cast<T *>(const_cast<std::byte *>(base[ref >> 31] + (ref & ~constantBit)));
  }
  uint32_t pred(PredRef ref) const {
    uint32_t value = reinterpret_cast<const uint32_t *>(base[0])[ref & ~negateBit];
    return ref & negateBit ? ~value : value;
  }
  void setPred(PredRef ref, uint32_t value, uint32_t active) {
    if (!ref) return; // the predicate that is always true stands for "no result"
    uint32_t &p = reinterpret_cast<uint32_t *>(const_cast<std::byte *>(base[0]))[ref];
    p = (p & ~active) | (value & active);
  }

  // Control flow, for the handlers of branches.
  void branch(uint32_t taken, uint32_t target, uint32_t meetingPc);
  void branchMany(const uint32_t *targets, uint32_t active, uint32_t meetingPc);
  void converge();
  void exit(uint32_t lanes);
  void call(const Code &code, uint32_t lanes);
  void ret(uint32_t lanes);
  /// Waits until all of `members` are here. False: the fragment is parked. True: `active` holds all that came.
  bool gather(const Instr &in, uint32_t &active, uint32_t members);
  void parkAtBarrier(const Instr &in, uint32_t predicate, unsigned barrier, unsigned expected);
  /// Sets the fragments at a barrier free.
  void releaseBarrier();
  uint32_t lanesAtBarrier() const;
  /// An access that may poll for what other lanes do: when it goes on for long, lanes that wait for these are let go.
  /// The warp's turn ends, too: others shall come to do it.
  void notePolling() {
    ++polls_;
    if (fragments.size() + liveGroups_.size() > 1 && polls_ % 64 == 0) breakMeeting();
    if (polls_ % 16 == 0) quantum_ = 0;
  }
  /// When nothing can run: lets lanes go on that wait for others at a meeting point. False where there are none.
  bool breakMeeting();

  [[noreturn]] void fault(FaultKind kind, const Instr &in, const std::string &what, int lane = -1);
  uint32_t special(int id, unsigned lane) const;
  uint64_t special64(int id, unsigned lane) const;
  std::string threadName(unsigned lane) const;
  unsigned random(unsigned below);

  Block &block;
  const unsigned index;
  uint32_t alive;
  const std::byte *base[2] = {nullptr, nullptr};
  uint32_t pc = 0, mask = 0; ///< of the running fragment
  Fragment *current = nullptr;
  uint32_t carry = 0; ///< the condition code of add.cc
  uint64_t executed = 0;
  std::array<uint32_t, 32> clock{}; ///< what this warp knows of each warp's progress
  uint32_t accesses = 0;            ///< to shared memory, so far
  uint32_t lanesMetAt = 0;          ///< accesses up to this one are ordered before those of all lanes now
  /// A synchronisation of these lanes: what each did before comes before what the others do now.
  void orderLanes(uint32_t members);
  /// Since all lanes met last, some of them did.
  bool lanesMetInParts() const { return known_ != nullptr; }
  /// Whether access number `at` of lane `first` comes before what `second` does now. One instruction is one access.
  bool lanesAreOrdered(uint32_t at, unsigned first, unsigned second) const {
    return at <= lanesMetAt || at == accesses || first == second || (known_ && at <= (*known_)[second][first]);
  }
  bool fenced = false;          ///< a fence has run: atomics order what came before
  std::vector<std::byte> local; ///< local memory: lane l's bytes begin at l * localStride
  std::vector<uint8_t> localState;
  uint32_t localStride = 0;
  void growLocal(uint32_t bytes);
  std::vector<AsyncCopy> openCopies;
  std::vector<std::pair<uint32_t, std::vector<AsyncCopy>>>
      copyGroups; ///< oldest first, with the lanes that wait for it
  std::vector<std::unique_ptr<Fragment>> fragments;

private:
  void save();
  void load(Fragment *fragment);
  void enter(Frame *frame);
  Fragment *add(uint32_t mask, uint32_t pc, Frame *frame, Group *group);
  void drop(Fragment *fragment);
  void pick();
  void runFragment();
  Frame *newFrame(const Code &code, Frame *caller, uint32_t lanes);
  void leaveFrames(Frame *frame, uint32_t lanes, Frame *upTo);
  void leaveGroups(Group *group, uint32_t lanes);
  void retryWarpSyncs();
  Group *groupFor(uint32_t meetingPc);

  /// Of each lane, the accesses of each other lane that come before what it does now; null: `lanesMetAt` for all.
  std::unique_ptr<std::array<std::array<uint32_t, 32>, 32>> known_;
  std::vector<Group *> liveGroups_;
  const Instr *code_ = nullptr; ///< of the running fragment's function
  unsigned quantum_ = 0;        ///< instructions left of this turn
  unsigned polls_ = 0;          ///< since lanes met last
};

} // namespace cudasim
