#include "core/Allocator.h"
#include "core/NumberText.h"
#include "core/SizeClass.h"
#include "tensorjit/error.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string>
#include <sys/mman.h>
#include <utility>
#include <vector>

namespace tensorjit {

namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr bool keepsFreedBlocks = false; // a cached block would hide a use after free
#else
constexpr bool keepsFreedBlocks = true;
#endif
constexpr size_t alignment = 64;
constexpr size_t hugePage = size_t(2) << 20;
static_assert(alignment == smallestSizeClass);

/// The free blocks of a class that no thread keeps for itself. A few are within reach without a lock.
class FreeList {
public:
  void *take() {
    for (auto &slot : slots_)
      if (slot.load(std::memory_order_relaxed))
        if (void *block = slot.exchange(nullptr, std::memory_order_acquire)) return block;
    if (!numFurther_.load(std::memory_order_relaxed)) return nullptr;
    std::lock_guard lock(mutex_);
    if (further_.empty()) return nullptr;
    void *block = further_.back();
    further_.pop_back();
    numFurther_.store(further_.size(), std::memory_order_relaxed);
    return block;
  }
  void put(void *block) {
    for (auto &slot : slots_) {
      void *empty = nullptr;
      if (!slot.load(std::memory_order_relaxed) &&
          slot.compare_exchange_strong(empty, block, std::memory_order_release, std::memory_order_relaxed))
        return;
    }
    std::lock_guard lock(mutex_);
    further_.push_back(block);
    numFurther_.store(further_.size(), std::memory_order_relaxed);
  }
  std::atomic<uint64_t> lastUse{0};

private:
  std::array<std::atomic<void *>, 8> slots_{};
  std::mutex mutex_;
  std::vector<void *> further_;
  std::atomic<size_t> numFurther_{0};
};

struct Cache {
  std::array<FreeList, numSizeClasses> lists;
  std::atomic<size_t> live{0}, peak{0}, cached{0};
  std::atomic<uint64_t> fromSystem{0}, clock{0};
  std::array<std::atomic<uint32_t>, numSizeClasses> liveBlocks{}; ///< of the larger classes, for messages
};

/// Never destroyed: tensors in static storage may be freed after any destructor of ours.
Cache &cache() {
  static Cache &c = *new Cache;
  return c;
}

/// A program's tensors and its cache together stay below the most that its tensors have taken, and this much: a steady
/// program finds every block again, one whose shapes vary does not pile up a block of each size.
constexpr size_t cacheSlack = size_t(64) << 20;

void *popCached(size_t cls) {
  Cache &c = cache();
  FreeList &list = c.lists[cls];
  list.lastUse.store(c.clock.fetch_add(1, std::memory_order_relaxed), std::memory_order_relaxed);
  void *p = list.take();
  if (p) c.cached.fetch_sub(bytesOfSizeClass(cls), std::memory_order_relaxed);
  return p;
}

/// Gives a list's blocks back to the system until the cache holds at most `limit`.
void trim(size_t cls, size_t limit) {
  Cache &c = cache();
  while (c.cached.load(std::memory_order_relaxed) > limit) {
    void *block = c.lists[cls].take();
    if (!block) return;
    std::free(block);
    c.cached.fetch_sub(bytesOfSizeClass(cls), std::memory_order_relaxed);
  }
}

/// Sizes that have not been asked for the longest go first.
void trimToLimit() {
  Cache &c = cache();
  auto limit = [&] {
    const size_t most = c.peak.load(std::memory_order_relaxed) + cacheSlack,
                 live = c.live.load(std::memory_order_relaxed);
    return most > live ? most - live : 0;
  };
  if (c.cached.load(std::memory_order_relaxed) <= limit()) return;
  std::array<std::pair<uint64_t, size_t>, numSizeClasses> oldest;
  for (size_t i = 0; i < numSizeClasses; ++i) oldest[i] = {c.lists[i].lastUse.load(std::memory_order_relaxed), i};
  std::sort(oldest.begin(), oldest.end());
  for (auto [use, cls] : oldest) trim(cls, limit());
}

void pushCached(void *block, size_t cls) {
  Cache &c = cache();
  c.cached.fetch_add(bytesOfSizeClass(cls),
                     std::memory_order_relaxed); // first, so that it is never below what is there
  c.lists[cls].put(block);
  trimToLimit();
}

/// The small blocks that a thread has freed last: its own, without a lock.
class ThreadCache {
public:
  static void *pop(size_t cls) {
    if (cls >= numSmall || !own || !own->counts_[cls]) return nullptr;
    return own->blocks_[cls][--own->counts_[cls]];
  }
  static bool push(void *block, size_t cls) {
    if (cls >= numSmall || (!own && !open()) || own->counts_[cls] == depth) return false;
    own->blocks_[cls][own->counts_[cls]++] = block;
    return true;
  }
  static void empty() {
    if (!own) return;
    for (size_t cls = 0; cls < numSmall; ++cls)
      while (own->counts_[cls]) std::free(own->blocks_[cls][--own->counts_[cls]]);
  }

private:
  static constexpr size_t numSmall = (16 - 5) * sizeClassesPerDoubling; ///< classes up to 64 KiB
  static constexpr uint8_t depth = 8;
  /// Blocks that are freed while the thread ends, after its cache, go to the others.
  static bool open() {
    struct Owner {
      ~Owner() {
        empty();
        delete std::exchange(own, nullptr);
        closed = true;
      }
    };
    if (closed) return false;
    static thread_local Owner owner;
    static_cast<void>(owner);
    own = new ThreadCache;
    return true;
  }
  // In the library's own few bytes of static thread-local storage, which are quick to reach.
  [[gnu::tls_model("initial-exec")]] static inline thread_local constinit ThreadCache *own = nullptr;
  [[gnu::tls_model("initial-exec")]] static inline thread_local constinit bool closed = false;

  void *blocks_[numSmall][depth];
  uint8_t counts_[numSmall] = {};
};

constexpr size_t largeClass = (20 - 5) * sizeClassesPerDoubling; ///< 1 MiB and more: live blocks are counted

void countLive(size_t cls) {
  Cache &c = cache();
  const size_t size = bytesOfSizeClass(cls), live = c.live.fetch_add(size, std::memory_order_relaxed) + size;
  size_t peak = c.peak.load(std::memory_order_relaxed);
  while (live > peak && !c.peak.compare_exchange_weak(peak, live, std::memory_order_relaxed)) {
  }
  if (cls >= largeClass) c.liveBlocks[cls].fetch_add(1, std::memory_order_relaxed);
}

void *fromSystem(size_t bytes) {
  if (bytes < hugePage) return std::aligned_alloc(alignment, (bytes + alignment - 1) & ~(alignment - 1));
  void *p = std::aligned_alloc(hugePage, (bytes + hugePage - 1) & ~(hugePage - 1));
  if (p) madvise(p, bytes, MADV_HUGEPAGE);
  return p;
}

/// "tensors hold 3.0 GiB, the largest 512.0 MiB"
std::string inUse() {
  const Cache &c = cache();
  std::string text = "tensors hold " + bytesText(c.live.load(std::memory_order_relaxed));
  for (size_t cls = numSizeClasses; cls-- > largeClass;)
    if (c.liveBlocks[cls].load(std::memory_order_relaxed))
      return text + ", the largest " + bytesText(bytesOfSizeClass(cls));
  return text;
}

} // namespace

void *allocateBlock(size_t bytes) {
  // The largest class is far beyond any address space; a size above it must not index past the table.
  if (bytes >= size_t(1) << 47) throw out_of_memory("cannot allocate " + bytesText(bytes));
  const size_t cls = sizeClassOf(bytes);
  void *p = ThreadCache::pop(cls);
  if (!p) p = popCached(cls);
  if (!p) {
    cache().fromSystem.fetch_add(1, std::memory_order_relaxed);
    p = fromSystem(bytesOfSizeClass(cls));
  }
  if (!p) {
    emptyAllocatorCache();
    p = fromSystem(bytesOfSizeClass(cls));
  }
  if (!p) throw out_of_memory("cannot allocate " + bytesText(bytes) + "; " + inUse());
  countLive(cls);
  return p;
}

void freeBlock(void *block, size_t bytes) {
  if (!block) return;
  Cache &c = cache();
  const size_t cls = sizeClassOf(bytes);
  c.live.fetch_sub(bytesOfSizeClass(cls), std::memory_order_relaxed);
  if (cls >= largeClass) c.liveBlocks[cls].fetch_sub(1, std::memory_order_relaxed);
  if (!keepsFreedBlocks) std::free(block);
  else if (!ThreadCache::push(block, cls)) pushCached(block, cls);
}

void emptyAllocatorCache() {
  ThreadCache::empty();
  for (size_t cls = 0; cls < numSizeClasses; ++cls) trim(cls, 0);
}

size_t allocatedBytes() { return cache().live.load(std::memory_order_relaxed); }

AllocatorStats allocatorStats() {
  const Cache &c = cache();
  return {c.live.load(std::memory_order_relaxed), c.peak.load(std::memory_order_relaxed),
          c.cached.load(std::memory_order_relaxed), c.fromSystem.load(std::memory_order_relaxed)};
}

} // namespace tensorjit
