#include "device/Memory.h"
#include "core/NumberText.h"
#include "core/SizeClass.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <unordered_map>

namespace tensorjit::device {

namespace {

/// A freed block that other streams than its own may still use.
struct Waiting {
  Block *block;
  std::vector<EventHandle> events;
};

/// Free blocks of one stream.
using FreeLists = std::array<std::vector<Block *>, numSizeClasses>;

struct Pool {
  std::mutex mutex;
  std::unordered_map<const Stream *, std::unique_ptr<FreeLists>> lists;
  std::vector<Waiting> waiting;
  std::vector<EventHandle> events; ///< not in use
  MemoryUse use;
  std::array<uint32_t, numSizeClasses> liveBlocks{};
};

/// Never destroyed: tensors in static storage may be freed after any destructor of ours.
Pool &poolOf(Device device) {
  static auto &all = *new std::array<Pool, 256>;
  return all[device.code()];
}

constexpr size_t smallest = 256; ///< what kernels may assume of addresses

uint32_t classOf(size_t bytes) { return static_cast<uint32_t>(sizeClassOf(std::max(bytes, smallest))); }

void keep(Pool &pool, Block *block) {
  auto &lists = pool.lists[block->home];
  if (!lists) lists = std::make_unique<FreeLists>();
  (*lists)[block->sizeClass].push_back(block);
}

/// Blocks whose other users are done go back to their lists.
void collect(Pool &pool, Backend &backend, bool wait) {
  for (size_t i = 0; i < pool.waiting.size();) {
    Waiting &w = pool.waiting[i];
    while (!w.events.empty()) {
      if (wait) backend.awaitEvent(w.events.back());
      else if (!backend.isReached(w.events.back())) break;
      pool.events.push_back(w.events.back());
      w.events.pop_back();
    }
    if (!w.events.empty()) {
      ++i;
      continue;
    }
    keep(pool, w.block);
    std::swap(w, pool.waiting.back());
    pool.waiting.pop_back();
  }
}

Block *takeFree(Pool &pool, const Stream &stream, uint32_t sizeClass) {
  const auto lists = pool.lists.find(&stream);
  if (lists == pool.lists.end()) return nullptr;
  auto &blocks = (*lists->second)[sizeClass];
  if (blocks.empty()) return nullptr;
  Block *block = blocks.back();
  blocks.pop_back();
  pool.use.cached -= block->bytes;
  return block;
}

/// Gives every cached block back to the device, once the streams have passed their uses.
void release(Pool &pool, Backend &backend) {
  collect(pool, backend, true);
  for (auto &[stream, lists] : pool.lists) {
    backend.synchronize(stream->handle);
    for (auto &blocks : *lists) {
      for (Block *block : blocks) {
        pool.use.cached -= block->bytes;
        backend.free(block->address);
        delete block;
      }
      blocks.clear();
    }
  }
}

std::string inUse(const Pool &pool) {
  size_t largest = 0;
  for (size_t c = 0; c < numSizeClasses; ++c)
    if (pool.liveBlocks[c] &&
        pool.liveBlocks[c] * bytesOfSizeClass(c) >= pool.liveBlocks[largest] * bytesOfSizeClass(largest))
      largest = c;
  std::string text = bytesText(pool.use.live) + " are in use";
  if (pool.liveBlocks[largest])
    text += ", most of it in " + std::to_string(pool.liveBlocks[largest]) + " blocks of up to " +
            bytesText(bytesOfSizeClass(largest));
  return text;
}

/// Gives foreign memory back: its owner knows nothing of our streams.
void releaseForeign(Block *block) noexcept {
  std::vector<Stream *> users = std::move(block->users);
  users.push_back(block->writer.load(std::memory_order_relaxed));
  try {
    for (Stream *user : users) user->backend.synchronize(user->handle);
  } catch (const std::exception &) {
    // A device that has failed runs nothing more.
  }
  block->release();
  delete block;
}

} // namespace

Block *adoptMemory(void *address, size_t bytes, Stream &stream, std::function<void()> release) {
  auto *block = new Block;
  block->address = address;
  block->bytes = bytes;
  block->home = &stream;
  block->writer.store(&stream, std::memory_order_relaxed);
  block->release = release ? std::move(release) : [] {};
  return block;
}

Block *allocateBlock(size_t bytes, Stream &stream) {
  Backend &backend = stream.backend;
  Pool &pool = poolOf(backend.device());
  const uint32_t sizeClass = classOf(bytes);
  std::lock_guard lock(pool.mutex);
  if (!pool.waiting.empty()) collect(pool, backend, false);
  Block *block = takeFree(pool, stream, sizeClass);
  if (!block) {
    const size_t size = bytesOfSizeClass(sizeClass);
    void *address = backend.allocate(size);
    if (!address) {
      release(pool, backend);
      address = backend.allocate(size);
    }
    if (!address)
      throw out_of_memory(backend.device().str() + ": cannot allocate " + bytesText(bytes) + "; " + inUse(pool));
    block = new Block;
    block->address = address;
    block->bytes = size;
    block->sizeClass = sizeClass;
    block->home = &stream;
    ++pool.use.fromDevice;
  }
  block->writer.store(&stream, std::memory_order_relaxed);
  pool.use.live += block->bytes;
  pool.use.peak = std::max(pool.use.peak, pool.use.live);
  ++pool.liveBlocks[sizeClass];
  return block;
}

void freeBlock(Block *block) noexcept {
  if (block->release) return releaseForeign(block);
  Backend &backend = block->home->backend;
  Pool &pool = poolOf(backend.device());
  std::lock_guard lock(pool.mutex);
  pool.use.live -= block->bytes;
  pool.use.cached += block->bytes;
  --pool.liveBlocks[block->sizeClass];
  std::vector<Stream *> others = std::move(block->users);
  block->users.clear();
  block->shared.store(false, std::memory_order_relaxed);
  others.push_back(block->writer.load(std::memory_order_relaxed));
  std::erase(others, block->home);
  if (others.empty()) return keep(pool, block);
  try {
    Waiting waiting{block, {}};
    for (Stream *other : others) {
      EventHandle event;
      if (pool.events.empty()) {
        event = backend.createEvent(false);
      } else {
        event = pool.events.back();
        pool.events.pop_back();
      }
      backend.record(event, other->handle);
      waiting.events.push_back(event);
    }
    pool.waiting.push_back(std::move(waiting));
  } catch (const std::exception &) {
    // A device that has failed: the memory is not handed out again.
  }
}

namespace {
/// Of the stream lists of blocks, which are changed rarely.
std::mutex orderMutex;
} // namespace

void orderReadSlow(Block &block, Stream &stream) {
  std::lock_guard lock(orderMutex);
  if (std::find(block.users.begin(), block.users.end(), &stream) != block.users.end()) return;
  stream.waitFor(*block.writer.load(std::memory_order_relaxed));
  block.users.push_back(&stream);
  block.shared.store(true, std::memory_order_release);
}

void orderWriteSlow(Block &block, Stream &stream) {
  std::lock_guard lock(orderMutex);
  stream.waitFor(*block.writer.load(std::memory_order_relaxed));
  for (Stream *user : block.users) stream.waitFor(*user);
  block.users.clear();
  block.writer.store(&stream, std::memory_order_release);
  block.shared.store(false, std::memory_order_release);
}

void orderForeign(Block &block, StreamHandle stream) {
  Backend &backend = block.home->backend;
  std::lock_guard lock(orderMutex);
  std::vector<Stream *> users = block.users;
  users.push_back(block.writer.load(std::memory_order_relaxed));
  for (Stream *user : users) {
    const EventState event(backend, false);
    backend.record(event.handle, user->handle);
    backend.wait(stream, event.handle);
  }
}

MemoryUse memoryUse(Device device) {
  Pool &pool = poolOf(device);
  std::lock_guard lock(pool.mutex);
  return pool.use;
}

void emptyCache(Device device) {
  Pool &pool = poolOf(device);
  std::lock_guard lock(pool.mutex);
  if (!pool.lists.empty() || !pool.waiting.empty()) release(pool, backend(device));
}

} // namespace tensorjit::device
