#include "core/Allocator.h"
#include "core/TensorImpl.h"
#include "device/EagerOp.h"
#include "device/Memory.h"
#include "eager/Copy.h"
#include "trace/Recorder.h"

#include <atomic>
#include <mutex>

namespace tensorjit {

/// What a buffer whose memory is not row-major knows of it; shared by all buffers on the memory.
struct ReorderedMemory : RefCounted<ReorderedMemory>, Pooled<ReorderedMemory> {
  TensorType type;
  MemoryOrder order;
  std::mutex mutex;
  std::atomic<bool> isCopied{false};
  Ref<Buffer> copy; ///< in row-major order, once `isCopied`
};

Ref<Buffer> Buffer::allocate(size_t bytes) {
  void *data = allocateBlock(bytes);
  return Ref<Buffer>::adopt(new Buffer(nullptr, data, bytes));
}

Ref<Buffer> Buffer::allocateOn(Device device, size_t bytes) {
  if (device.is_cpu()) return allocate(bytes);
  return adopt(device::allocateBlock(bytes, device::currentStream(device)), device, bytes);
}

Ref<Buffer> Buffer::adopt(device::Block *block, Device device, size_t bytes) {
  Ref<Buffer> b(new Buffer);
  if (block->release) b->release_ = std::make_unique<std::function<void()>>(); // others know the address
  b->data_ = block->address;
  b->bytes_ = bytes;
  b->device_ = device;
  b->deviceBlock_ = block;
  return b;
}

Ref<Buffer> Buffer::allocate(const TensorType &type, MemoryOrder order, Device device) {
  Ref<Buffer> b = allocateOn(device, static_cast<size_t>(type.sizes.numel()) * itemSize(type.dtype));
  if (!order.reorders(type.sizes)) return b;
  b->reordered_ = new ReorderedMemory;
  b->reordered_->retain();
  b->reordered_->type = type;
  b->reordered_->order = order;
  return b;
}

Ref<Buffer> Buffer::share(const Buffer &from) {
  Ref<Buffer> b(new Buffer);
  b->data_ = from.data_;
  b->bytes_ = from.bytes_;
  b->device_ = from.device_;
  b->owner_ = Ref<Buffer>(const_cast<Buffer *>(&from));
  return b;
}

MemoryOrder Buffer::order() const { return reordered_ ? reordered_->order : MemoryOrder(); }

Ref<Buffer> Buffer::rowMajor() const {
  if (!reordered_) return Ref<Buffer>(const_cast<Buffer *>(this));
  ReorderedMemory &m = *reordered_;
  if (!m.isCopied.load(std::memory_order_acquire)) {
    std::lock_guard lock(m.mutex);
    if (!m.copy) {
      if (device_.is_cpu()) {
        Ref<Buffer> copy = allocate(bytes_);
        eager::copyToDense({data_, m.type.dtype, m.type.sizes, m.order.strides(m.type.sizes)}, copy->data_);
        m.copy = std::move(copy);
      } else {
        m.copy = device::rowMajorCopy(*this, m.type, m.order);
      }
      m.isCopied.store(true, std::memory_order_release);
    }
  }
  return m.copy;
}

void Buffer::dropRowMajorCopy() {
  if (!reordered_) return;
  reordered_->isCopied.store(false, std::memory_order_relaxed);
  reordered_->copy = nullptr;
}

Ref<Buffer> Buffer::adopt(void *data, size_t bytes, std::function<void()> release) {
  Ref<Buffer> b(new Buffer);
  b->data_ = data;
  b->bytes_ = bytes;
  b->release_ = std::make_unique<std::function<void()>>(release ? std::move(release) : [] {});
  return b;
}

void Buffer::releaseListed(uint32_t count) const {
  // Read before the reference is given up: afterwards the recorder may delete the buffer.
  trace::Recorder *recorder = recorder_.load(std::memory_order_relaxed);
  const uint32_t value = value_;
  const bool ownThread = recorder && recorder == trace::Recorder::active();
  if (!ownThread || count != (listed | 1)) {
    count = count_.fetch_sub(1, std::memory_order_acq_rel);
    if (count == 1) delete const_cast<Buffer *>(this); // delivered meanwhile
    if (!ownThread || count != (listed | 1)) return;
  }
  recorder->forget(value);
  delete const_cast<Buffer *>(this);
}

bool Buffer::isStillHeld() {
  if (count_.load(std::memory_order_acquire) != listed) return true;
  delete this;
  return false;
}

void Buffer::unlist() {
  if (count_.fetch_and(~listed, std::memory_order_acq_rel) == listed) delete this;
}

void Buffer::fulfil(Ref<Buffer> from) {
  data_ = from->data_;
  if ((reordered_ = from->reordered_)) reordered_->retain();
  owner_ = std::move(from);
  recorder_.store(nullptr, std::memory_order_release);
  unlist();
}

void Buffer::lose() {
  recorder_.store(lost(), std::memory_order_release);
  unlist();
}

Buffer::~Buffer() {
  if (reordered_) reordered_->release();
  if (owner_) return;
  if (!device_.is_cpu()) {
    if (!isPending()) device::freeBlock(deviceBlock_);
  } else if (release_) {
    (*release_)();
  } else {
    freeBlock(data_, bytes_);
  }
}

} // namespace tensorjit
