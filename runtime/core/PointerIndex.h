#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tensorjit {

/// Objects by their address, numbered in the order in which they came. Keeps its memory when it is cleared.
class PointerIndex {
public:
  static constexpr uint32_t none = ~uint32_t(0);
  uint32_t find(const void *object) const {
    if (!size_) return none;
    const Slot &slot = slots_[place(object)];
    return slot.epoch == epoch_ ? slot.number : none;
  }
  /// The number of `object`, and whether it is new.
  std::pair<uint32_t, bool> insert(const void *object) {
    if ((size_ + 1) * 2 > slots_.size()) grow();
    Slot &slot = slots_[place(object)];
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
  /// Where it is, or belongs.
  size_t place(const void *object) const {
    const size_t mask = slots_.size() - 1;
    for (size_t i = (reinterpret_cast<uintptr_t>(object) / 16 * 0x9e3779b97f4a7c15u >> 32) & mask;; i = (i + 1) & mask)
      if (slots_[i].epoch != epoch_ || slots_[i].object == object) return i;
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
    old.swap(slots_);
    for (const Slot &slot : old)
      if (slot.epoch == epoch_) slots_[place(slot.object)] = slot;
  }

  std::vector<Slot> slots_;
  uint64_t epoch_ = 1;
  uint32_t size_ = 0;
};

} // namespace tensorjit
