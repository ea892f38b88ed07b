#pragma once
#include <cstddef>

namespace tensorjit::device {

/// Page-locked memory of the host, which copies to and from a device need not wait for. Blocks are kept when freed.
/// Throws `device_error` where there is no device that page-locks memory, `out_of_memory`.
void *allocatePinned(size_t bytes);
/// No copy uses the memory any more. `bytes` as asked for.
void freePinned(void *memory, size_t bytes) noexcept;
/// Whether the address lies in page-locked memory.
bool isPinned(const void *memory);

} // namespace tensorjit::device
