#include "device/Pinned.h"
#include "core/SizeClass.h"
#include "device/Backend.h"

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <vector>

namespace tensorjit::device {

namespace {

struct Pool {
  std::mutex mutex;
  std::array<std::vector<void *>, numSizeClasses> free;
  std::map<const std::byte *, size_t> ranges;
};

Pool &pool() {
  static Pool &p = *new Pool;
  return p;
}

/// A program that page-locks nothing pays one load to know it.
std::atomic<bool> anyPinned{false};

} // namespace

void *allocatePinned(size_t bytes) {
  Backend &device = backend(Device(kCUDA));
  Pool &p = pool();
  const size_t sizeClass = sizeClassOf(bytes);
  std::lock_guard lock(p.mutex);
  auto &blocks = p.free[sizeClass];
  if (!blocks.empty()) {
    void *block = blocks.back();
    blocks.pop_back();
    return block;
  }
  void *block = device.allocatePinned(bytesOfSizeClass(sizeClass));
  if (!block) throw out_of_memory("cannot page-lock " + std::to_string(bytes) + " bytes of host memory");
  p.ranges.emplace(static_cast<const std::byte *>(block), bytesOfSizeClass(sizeClass));
  anyPinned.store(true, std::memory_order_release);
  return block;
}

void freePinned(void *memory, size_t bytes) noexcept {
  Pool &p = pool();
  std::lock_guard lock(p.mutex);
  p.free[sizeClassOf(bytes)].push_back(memory);
}

bool isPinned(const void *memory) {
  if (!anyPinned.load(std::memory_order_acquire)) return false;
  Pool &p = pool();
  const auto *at = static_cast<const std::byte *>(memory);
  std::lock_guard lock(p.mutex);
  auto range = p.ranges.upper_bound(at);
  return range != p.ranges.begin() && at < (--range)->first + range->second;
}

} // namespace tensorjit::device
