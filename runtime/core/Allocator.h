#pragma once
/// Memory of tensors: blocks of fixed size classes that are kept when freed and handed out again.
#include <cstddef>
#include <cstdint>

namespace tensorjit {

/// At least `bytes` of uninitialised memory, 64-byte aligned. Large blocks ask for huge pages, because a first touch of
/// a 4 KiB page costs more than a microsecond. A small block that this thread has freed comes back without a lock.
/// Throws `out_of_memory` after giving cached blocks back once.
void *allocateBlock(size_t bytes);
/// `bytes` as asked for in `allocateBlock`.
void freeBlock(void *block, size_t bytes);

/// Gives every cached block back to the system, but for small ones that other threads keep for themselves.
void emptyAllocatorCache();
/// Bytes in live blocks.
size_t allocatedBytes();

struct AllocatorStats {
  size_t live = 0;         ///< bytes in live blocks
  size_t peak = 0;         ///< the most that `live` has been
  size_t cached = 0;       ///< bytes kept for later, beside what threads keep for themselves
  uint64_t fromSystem = 0; ///< blocks that no cache could serve
};
AllocatorStats allocatorStats();

} // namespace tensorjit
