#include "core/Allocator.h"
#include "core/NumberText.h"
#include "tensorjit/error.h"

#include <array>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string>
#include <sys/mman.h>
#include <vector>

namespace tensorjit {

namespace {

constexpr size_t alignment = 64;
constexpr size_t hugePage = size_t(2) << 20;
constexpr size_t classesPerDoubling = 4;
constexpr size_t numClasses = 48 * classesPerDoubling;

/// Sizes grow in quarters of a power of two, so at most a fifth of a block is unused.
size_t classOf(size_t bytes) {
  bytes = bytes < alignment ? alignment : bytes;
  size_t power = std::bit_width(bytes - 1) - 1; // 2^power < bytes <= 2^(power+1)
  size_t quarter = (bytes - 1 - (size_t(1) << power)) >> (power - 2);
  return (power - 5) * classesPerDoubling + quarter;
}

size_t bytesOfClass(size_t c) {
  size_t power = c / classesPerDoubling + 5, quarter = c % classesPerDoubling;
  return (size_t(1) << power) + (quarter + 1) * (size_t(1) << (power - 2));
}

struct FreeList {
  std::mutex mutex;
  std::vector<void *> blocks;
};

struct Cache {
  std::array<FreeList, numClasses> lists;
  std::atomic<size_t> live{0};
};

/// Never destroyed: tensors in static storage may be freed after any destructor of ours.
Cache &cache() {
  static Cache &c = *new Cache;
  return c;
}

void *fromSystem(size_t bytes) {
  if (bytes < hugePage) return std::aligned_alloc(alignment, (bytes + alignment - 1) & ~(alignment - 1));
  void *p = std::aligned_alloc(hugePage, (bytes + hugePage - 1) & ~(hugePage - 1));
  if (p) madvise(p, bytes, MADV_HUGEPAGE);
  return p;
}

std::string readable(size_t bytes) {
  constexpr const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t u = 0;
  double v = static_cast<double>(bytes);
  for (; v >= 1024 && u + 1 < std::size(units); ++u) v /= 1024;
  return numberText(v, 4) + " " + units[u];
}

} // namespace

void *allocateBlock(size_t bytes) {
  // The largest class is far beyond any address space; a size above it must not index past the table.
  if (bytes >= size_t(1) << 47) throw out_of_memory("cannot allocate " + readable(bytes));
  Cache &c = cache();
  size_t cls = classOf(bytes), size = bytesOfClass(cls);
  FreeList &list = c.lists[cls];
  void *p = nullptr;
  {
    std::lock_guard lock(list.mutex);
    if (!list.blocks.empty()) {
      p = list.blocks.back();
      list.blocks.pop_back();
    }
  }
  if (!p) p = fromSystem(size);
  if (!p) {
    emptyAllocatorCache();
    p = fromSystem(size);
  }
  if (!p)
    throw out_of_memory("cannot allocate " + readable(bytes) + "; tensors hold " +
                        readable(c.live.load(std::memory_order_relaxed)));
  c.live.fetch_add(size, std::memory_order_relaxed);
  return p;
}

void freeBlock(void *block, size_t bytes) {
  if (!block) return;
  Cache &c = cache();
  size_t cls = classOf(bytes);
  c.live.fetch_sub(bytesOfClass(cls), std::memory_order_relaxed);
#ifdef __SANITIZE_ADDRESS__
  std::free(block); // a cached block would hide a use after free
#else
  FreeList &list = c.lists[cls];
  std::lock_guard lock(list.mutex);
  list.blocks.push_back(block);
#endif
}

void emptyAllocatorCache() {
  for (FreeList &list : cache().lists) {
    std::lock_guard lock(list.mutex);
    for (void *p : list.blocks) std::free(p);
    list.blocks.clear();
  }
}

size_t allocatedBytes() { return cache().live.load(std::memory_order_relaxed); }

} // namespace tensorjit
