#pragma once
#include "autograd/Node.h"

#include <bit>
#include <cstdint>
#include <vector>

namespace tensorjit::autograd {

/// Objects by their address, numbered in the order in which they came.
class PointerIndex {
public:
  /// The number of `object`, and whether it is new.
  std::pair<uint32_t, bool> insert(const void *object) {
    if ((size_ + 1) * 2 > slots_.size()) grow();
    Slot &slot = find(object);
    const bool isNew = slot.epoch != epoch_;
    if (isNew) slot = {object, epoch_, size_++};
    return {slot.number, isNew};
  }
  void clear() {
    size_ = 0;
    ++epoch_;
  }

private:
  struct Slot {
    const void *object = nullptr;
    uint64_t epoch = 0;
    uint32_t number = 0;
  };
  Slot &find(const void *object) {
    const size_t mask = slots_.size() - 1;
    for (size_t i = (reinterpret_cast<uintptr_t>(object) / 16 * 0x9e3779b97f4a7c15u >> 32) & mask;; i = (i + 1) & mask)
      if (slots_[i].epoch != epoch_ || slots_[i].object == object) return slots_[i];
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
    old.swap(slots_);
    for (const Slot &slot : old)
      if (slot.epoch == epoch_) find(slot.object) = slot;
  }

  std::vector<Slot> slots_;
  uint64_t epoch_ = 1;
  uint32_t size_ = 0;
};

/// What a backward pass needs memory for. A thread keeps it from pass to pass; a pass inside another (of a hook, of a
/// user-written function) has its own.
struct PassMemory {
  PointerIndex nodes, leafIndex;
  std::vector<uint32_t> firstGradient;              ///< of each node, into `gradients`
  std::vector<Tensor> gradients;                    ///< that have arrived, of the results of all nodes
  std::vector<Ref<Node>> queue;                     ///< a heap, the latest first
  std::vector<std::pair<Ref<Meta>, Tensor>> leaves; ///< in the order in which their first gradients arrived
  std::vector<Tensor> taken;                        ///< the gradients of the node whose step is in progress
  struct {
    std::vector<uint8_t> needs;
    std::vector<Tensor> result, saved;
  } step;

  void clear();
};

/// The thread's memory for the time of one pass.
class PassMemoryUse {
public:
  PassMemoryUse();
  ~PassMemoryUse();
  PassMemoryUse(const PassMemoryUse &) = delete;
  PassMemory &operator*() const { return *memory_; }

private:
  PassMemory *memory_;
};

} // namespace tensorjit::autograd
