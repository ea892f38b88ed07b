#pragma once
/// Memory of devices: blocks of fixed size classes that are kept when freed and handed out again, in the order of
/// streams.
///
/// A block belongs to the stream that it was allocated on. Freed, it is handed out on that stream at once, since what
/// comes later in the stream runs later. Work of other streams that used it is waited for first.
#include "device/Stream.h"

#include <atomic>
#include <cstddef>
#include <functional>

namespace tensorjit::device {

struct Block {
  void *address = nullptr;
  size_t bytes = 0; ///< of its class
  uint32_t sizeClass = 0;
  Stream *home = nullptr; ///< that it was allocated on
  /// The stream that wrote it last, and those that have waited for that and used it since.
  std::atomic<Stream *> writer{nullptr};
  std::atomic<bool> shared{false}; ///< whether there are such
  std::vector<Stream *> users;
  std::function<void()> release; ///< of memory of another owner; empty: from the device
};

/// `bytes` of uninitialised memory, 256-byte aligned, for work of this stream. Throws `out_of_memory` after giving
/// cached blocks back once.
Block *allocateBlock(size_t bytes, Stream &stream);
/// Takes over memory of another owner, which is ready for work of this stream. `release` is called when the block is
/// freed and all work that uses it is done.
Block *adoptMemory(void *address, size_t bytes, Stream &stream, std::function<void()> release);
/// All work that uses the block has been put into streams.
void freeBlock(Block *block) noexcept;

/// To be called before work that reads or writes the block is put into `stream`.
void orderReadSlow(Block &block, Stream &stream);
void orderWriteSlow(Block &block, Stream &stream);
inline void orderRead(Block &block, Stream &stream) {
  if (block.writer.load(std::memory_order_acquire) != &stream) [[unlikely]]
    orderReadSlow(block, stream);
}
inline void orderWrite(Block &block, Stream &stream) {
  if (block.writer.load(std::memory_order_acquire) != &stream || block.shared.load(std::memory_order_acquire))
      [[unlikely]]
    orderWriteSlow(block, stream);
}

/// What is put into another library's stream of the device from now on comes after all work on the block.
void orderForeign(Block &block, StreamHandle stream);

/// Memory for one piece of work in a stream.
class Temporary {
public:
  Temporary(size_t bytes, Stream &stream) : block_(bytes ? allocateBlock(bytes, stream) : nullptr) {}
  ~Temporary() {
    if (block_) freeBlock(block_);
  }
  Temporary(const Temporary &) = delete;
  std::byte *data() const { return block_ ? static_cast<std::byte *>(block_->address) : nullptr; }

private:
  Block *block_;
};

struct MemoryUse {
  size_t live = 0, peak = 0, cached = 0;
  uint64_t fromDevice = 0; ///< blocks that no cache could serve
};
MemoryUse memoryUse(Device device);
void emptyCache(Device device);

} // namespace tensorjit::device
