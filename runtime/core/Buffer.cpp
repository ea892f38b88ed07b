#include "core/Allocator.h"
#include "core/TensorImpl.h"
#include "eager/Copy.h"

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
  Buffer *b = new Buffer;
  b->data_ = data;
  b->bytes_ = bytes;
  b->retainFirst();
  return Ref<Buffer>::adopt(b);
}

Ref<Buffer> Buffer::allocate(const TensorType &type, MemoryOrder order) {
  Ref<Buffer> b = allocate(static_cast<size_t>(type.sizes.numel()) * itemSize(type.dtype));
  if (!order.reorders(type.sizes)) return b;
  b->reordered_ = new ReorderedMemory;
  b->reordered_->retain();
  b->reordered_->type = type;
  b->reordered_->order = order;
  return b;
}

MemoryOrder Buffer::order() const { return reordered_ ? reordered_->order : MemoryOrder(); }

Ref<Buffer> Buffer::rowMajor() const {
  if (!reordered_) return Ref<Buffer>(const_cast<Buffer *>(this));
  ReorderedMemory &m = *reordered_;
  if (!m.isCopied.load(std::memory_order_acquire)) {
    std::lock_guard lock(m.mutex);
    if (!m.copy) {
      Ref<Buffer> copy = allocate(bytes_);
      eager::copyToDense({data_, m.type.dtype, m.type.sizes, m.order.strides(m.type.sizes)}, copy->data_);
      m.copy = std::move(copy);
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
  b->release_ = release ? std::move(release) : [] {};
  return b;
}

void Buffer::fulfil(Ref<Buffer> from) {
  recorder_ = nullptr;
  data_ = from->data_;
  if ((reordered_ = from->reordered_)) reordered_->retain();
  owner_ = std::move(from);
}

Buffer::~Buffer() {
  if (reordered_) reordered_->release();
  if (recorder_ || owner_) return;
  if (release_) release_();
  else freeBlock(data_, bytes_);
}

} // namespace tensorjit
