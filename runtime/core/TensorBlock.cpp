#include "autograd/Meta.h"
#include "core/Allocator.h"
#include "core/TensorImpl.h"
#include "trace/Recorder.h"

namespace tensorjit {

TensorImpl::TensorImpl() = default;
inline TensorImpl::~TensorImpl() = default;

/// Whether nobody but the tensor itself holds the storage and its value: nothing can then raise their counts.
inline bool TensorBlock::isUnshared() const {
  if (impl_.storage.get() != &storage_ || storage_.useCount() != 1 || storage_.buffer.get() != &buffer_) return false;
  const uint32_t count = buffer_.count_.load(std::memory_order_acquire);
  return count == 1 || (count == (Buffer::listed | 1) && buffer_.recorder() == trace::Recorder::active());
}

TensorBlock *TensorBlock::pending(const trace::ResultSpec &spec, trace::Recorder *recorder, uint32_t value,
                                  const SourceLine *where) {
  auto *block = new TensorBlock(spec.dtype, spec.sizes, spec.strides, recorder, value, spec.bytes, where, spec.device);
  block->layout_ = spec.layout;
  return block;
}

void TensorBlock::renewAs(const trace::ResultSpec &spec, uint32_t value, const SourceLine *where) {
  layout_ = spec.layout;
  buffer_.bytes_ = spec.bytes;
  buffer_.device_ = spec.device;
  storage_.dtype = spec.dtype;
  impl_.sizes = spec.sizes;
  impl_.strides = spec.strides;
  renew(value, where);
}

/// A value without memory holds nothing: there is nothing to destroy.
void TensorBlock::discard(TensorBlock *block) { Pooled<TensorBlock>::operator delete(block, sizeof(TensorBlock)); }

/// The last reference to a handle of a value that this thread records, whose parts nobody else holds: all of it but the
/// value's number is as it was at first. The address sanitizer could not see a use of a handle that is handed out
/// again.
inline bool TensorBlock::diesPending() const {
#ifdef __SANITIZE_ADDRESS__
  return false;
#endif
  return impl_.useCount() == 1 && impl_.storage.get() == &storage_ && storage_.useCount() == 1 &&
         storage_.buffer.get() == &buffer_ && buffer_.count_.load(std::memory_order_acquire) == (Buffer::listed | 1) &&
         buffer_.recorder() == trace::Recorder::active() && !impl_.view && !impl_.autograd;
}

/// The three parts at once, without counting: how nearly every tensor ends.
inline void TensorBlock::destroy() {
  if (trace::Recorder *recorder = buffer_.recorder(); recorder && recorder != Buffer::lost())
    recorder->forget(buffer_.value());
  impl_.storage.leak();
  storage_.buffer.leak();
  delete this;
}

void TensorBlock::dropPart() {
  if (parts_.load(std::memory_order_acquire) == 1 || parts_.fetch_sub(1, std::memory_order_acq_rel) == 1)
    Pooled<TensorBlock>::operator delete(this, sizeof(TensorBlock));
}

void TensorImpl::operator delete(TensorImpl *t, std::destroying_delete_t) {
  TensorBlock *block = t->block;
  if (block && block->isUnshared()) return block->destroy();
  t->~TensorImpl();
  if (block) block->dropPart();
  else Pooled<TensorImpl>::operator delete(t, sizeof(TensorImpl));
}

void Storage::operator delete(Storage *s, std::destroying_delete_t) {
  TensorBlock *block = s->block;
  s->~Storage();
  if (block) block->dropPart();
  else Pooled<Storage>::operator delete(s, sizeof(Storage));
}

void Buffer::operator delete(Buffer *b, std::destroying_delete_t) {
  TensorBlock *block = b->block_;
  b->~Buffer();
  if (block) block->dropPart();
  else Pooled<Buffer>::operator delete(b, sizeof(Buffer));
}

void TensorBase::release(TensorImpl *impl) {
  if (TensorBlock *block = impl->block; block && block->diesPending()) trace::Recorder::active()->recycle(block);
  else impl->release();
}

} // namespace tensorjit
