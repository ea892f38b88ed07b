#pragma once
/// Memory of tensors: blocks of fixed size classes that are kept when freed and handed out again.
#include <cstddef>

namespace tensorjit {

/// At least `bytes` of uninitialised memory, 64-byte aligned. Large blocks ask for huge pages, because a first touch of
/// a 4 KiB page costs more than a microsecond. Throws `out_of_memory` after giving cached blocks back once.
void *allocateBlock(size_t bytes);
/// `bytes` as asked for in `allocateBlock`.
void freeBlock(void *block, size_t bytes);

/// Gives every cached block back to the system.
void emptyAllocatorCache();
/// Bytes in live blocks.
size_t allocatedBytes();

} // namespace tensorjit
