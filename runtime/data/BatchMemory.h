#pragma once
#include "tensorjit/tensor.h"

#include <memory>
#include <mutex>
#include <vector>

namespace tensorjit::data {

/// Memory for batches, recycled: a block comes back when the last tensor on it goes, and serves the next batch of the
/// same size. Blocks outlive the loader where tensors do.
class BatchMemory : public std::enable_shared_from_this<BatchMemory> {
public:
  /// Keeps at most `maxFree` blocks that nobody uses. `pinned`: page-locked ones.
  explicit BatchMemory(size_t maxFree, bool pinned = false) : maxFree_(maxFree), pinned_(pinned) {}
  ~BatchMemory();

  /// A dense tensor of uninitialised memory.
  Tensor tensor(DType dtype, const Shape &sizes);

private:
  struct Block {
    void *data;
    size_t bytes;
  };
  Block take(size_t bytes);
  void giveBack(Block block);
  Block allocate(size_t bytes) const;
  void free(const Block &block) const;

  const size_t maxFree_;
  const bool pinned_;
  std::mutex mutex_;
  std::vector<Block> free_;
};

} // namespace tensorjit::data
