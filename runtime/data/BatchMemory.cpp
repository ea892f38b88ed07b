#include "data/BatchMemory.h"
#include "device/Pinned.h"
#include "tensorjit/creation.h"

#include <algorithm>
#include <new>
#include <string>

namespace tensorjit::data {

static constexpr std::align_val_t alignment{64};

BatchMemory::~BatchMemory() {
  for (Block &block : free_) free(block);
}

BatchMemory::Block BatchMemory::allocate(size_t bytes) const {
  if (pinned_) return {device::allocatePinned(bytes), bytes};
  try {
    return {::operator new(std::max<size_t>(bytes, 1), alignment), bytes};
  } catch (const std::bad_alloc &) {
    throw out_of_memory("data loader: cannot allocate " + std::to_string(bytes) + " bytes for a batch");
  }
}

void BatchMemory::free(const Block &block) const {
  if (pinned_) device::freePinned(block.data, block.bytes);
  else ::operator delete(block.data, alignment);
}

Tensor BatchMemory::tensor(DType dtype, const Shape &sizes) {
  Block block = take(static_cast<size_t>(sizes.numel()) * itemSize(dtype));
  return from_blob(
      block.data, sizes, [owner = shared_from_this(), block] { owner->giveBack(block); }, dtype);
}

BatchMemory::Block BatchMemory::take(size_t bytes) {
  {
    std::lock_guard lock(mutex_);
    for (auto it = free_.begin(); it != free_.end(); ++it) {
      // A last, smaller batch may use the block of a full one, but a scalar target does not pin an image batch.
      if (it->bytes < bytes || it->bytes > 4 * bytes + 4096) continue;
      Block block = *it;
      free_.erase(it);
      return block;
    }
  }
  return allocate(bytes);
}

void BatchMemory::giveBack(Block block) {
  {
    std::lock_guard lock(mutex_);
    if (free_.size() < maxFree_) {
      free_.push_back(block);
      return;
    }
  }
  free(block);
}

} // namespace tensorjit::data
