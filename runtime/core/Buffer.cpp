#include "core/Allocator.h"
#include "core/TensorImpl.h"

namespace tensorjit {

Ref<Buffer> Buffer::allocate(size_t bytes) {
  void *data = allocateBlock(bytes);
  Buffer *b = new Buffer;
  b->data_ = data;
  b->bytes_ = bytes;
  b->retainFirst();
  return Ref<Buffer>::adopt(b);
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
  owner_ = std::move(from);
}

Buffer::~Buffer() {
  if (recorder_ || owner_) return;
  if (release_) release_();
  else freeBlock(data_, bytes_);
}

} // namespace tensorjit
