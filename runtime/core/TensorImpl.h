#pragma once
/// How a tensor is held.
///
///   Buffer      one value: bytes, or a value of a recording that has not run yet. Never changes once shared. A
///   compiled
///               function may leave its bytes in another order than row-major and read them like that again; `data`,
///               which all else uses, gives row-major bytes whatever lies in memory.
///   Storage     a mutable cell that holds the current Buffer; two tensors alias exactly when they share a Storage.
///   TensorImpl  what a handle points at: a strided window on a Storage, and its place in the autograd tape.
///   TensorBlock the three that a new tensor needs, in one piece of memory.
///
/// An in-place op gives the Storage a new Buffer, or writes into the old one when nobody else holds it. So a value
/// saved for backward (it holds the Buffer) is never invalidated.
#include "core/MemoryOrder.h"
#include "core/ObjectPool.h"
#include "core/Ref.h"
#include "op/OpInfo.h"
#include "tensorjit/device.h"

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <new>

namespace tensorjit {

class TensorBlock;
struct SourceLine;
namespace autograd {
struct Meta;
}
namespace trace {
class Recorder;
struct ResultSpec;
} // namespace trace

struct ReorderedMemory;
namespace device {
struct Block;
}

class Buffer : public Pooled<Buffer> {
public:
  /// Uninitialised memory, 64-byte aligned. Throws `out_of_memory`.
  static Ref<Buffer> allocate(size_t bytes);
  /// The same for a tensor that lies in `order`, to be written through `storedData`.
  static Ref<Buffer> allocate(const TensorType &type, MemoryOrder order, Device device = {});
  /// Uninitialised memory of a device, ordered with the work of the current stream. Throws `out_of_memory`.
  static Ref<Buffer> allocateOn(Device device, size_t bytes);
  /// Takes over a block of a device's memory.
  static Ref<Buffer> adopt(device::Block *block, Device device, size_t bytes);
  /// The memory of `from` as it lies, as if it were row-major. `from` is kept.
  static Ref<Buffer> share(const Buffer &from);
  /// Memory of another owner, given back through `release`.
  static Ref<Buffer> adopt(void *data, size_t bytes, std::function<void()> release);
  /// Value number `value` of `recorder`, recorded at `where`, that has no memory yet. The recorder lists it
  /// without holding it: a value that nobody holds at the end of the recording is not computed.
  Buffer(trace::Recorder *recorder, uint32_t value, size_t bytes, const SourceLine *where, Device device)
      : count_(listed), value_(value), bytes_(bytes), recorder_(recorder), device_(device), where_(where) {}
  using Pooled<Buffer>::operator delete;
  static void operator delete(Buffer *b, std::destroying_delete_t);

  /// The device whose memory holds the value, or will; addresses of other devices than the CPU are no host addresses.
  Device device() const { return device_; }
  /// The block of a device's memory; null on the CPU and while pending.
  device::Block *deviceBlock() const {
    if (device_.is_cpu() || isPending()) return nullptr;
    return owner_ ? owner_->deviceBlock() : deviceBlock_;
  }

  bool isPending() const { return recorder() != nullptr; }
  /// The bytes in row-major order; null while pending. Memory in another order is copied at the first call, once for
  /// all who hold the value, from any thread. Throws `out_of_memory`.
  void *data() const { return reordered_ ? rowMajor()->data_ : data_; }
  /// The bytes as they lie: in `order()`.
  void *storedData() const { return data_; }
  MemoryOrder order() const;
  /// A buffer with the row-major bytes: this one where it is row-major.
  Ref<Buffer> rowMajor() const;
  /// Memory that lies in an order of its own has been written: `data` copies anew. The caller's reference is the only
  /// one.
  void dropRowMajorCopy();
  size_t bytes() const { return bytes_; }
  trace::Recorder *recorder() const { return recorder_.load(std::memory_order_acquire); }
  uint32_t value() const { return value_; }
  /// Where the op that makes a pending value was recorded.
  const SourceLine &where() const { return *where_; }
  /// Whether others know the address of the memory, because it is theirs or was exported: a new value is then copied
  /// into it rather than put in its place.
  bool isForeign() const { return release_ || exports_.load(std::memory_order_relaxed); }
  /// References that other libraries hold through DLPack: they see what is written into the memory.
  void addExport() { exports_.fetch_add(1, std::memory_order_relaxed); }
  void dropExport() { exports_.fetch_sub(1, std::memory_order_relaxed); }
  /// The memory of another owner who does not allow writes.
  void setReadOnly() { readOnly_ = true; }
  bool isReadOnly() const { return readOnly_; }
  uint32_t useCount() const { return count_.load(std::memory_order_acquire) & ~listed; }
  /// Whether the caller's reference is the only one, so that the memory may be written (as it lies).
  bool isExclusive() const {
    return count_.load(std::memory_order_acquire) == 1 + exports_.load(std::memory_order_relaxed) && !readOnly_ &&
           (!owner_ || owner_->isExclusive());
  }

  void retain() const { count_.fetch_add(1, std::memory_order_relaxed); }
  void release() const {
    const uint32_t count = count_.load(std::memory_order_acquire);
    if (count & listed) releaseListed(count);
    // A count of one is ours, and nobody else can raise it: the common case needs no locked instruction.
    else if (count == 1 || count_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete const_cast<Buffer *>(this);
  }
  /// The first reference of a buffer that no other thread has seen yet.
  void retainFirst() const {
    count_.store((count_.load(std::memory_order_relaxed) & listed) + 1, std::memory_order_relaxed);
  }

  // For the recorder that lists the buffer, which lasts as long as it is listed, whoever drops it.
  /// False: another thread has dropped the last reference, and the buffer is deleted.
  bool isStillHeld();
  /// The value has been computed: this buffer takes over the memory of `from`. No longer listed.
  void fulfil(Ref<Buffer> from);
  /// The run that should have computed the value failed: it stays pending for ever, and using it is an error. No longer
  /// listed.
  void lose();
  static trace::Recorder *lost() { return reinterpret_cast<trace::Recorder *>(1); }

  ~Buffer();

private:
  friend class TensorBlock;
  Buffer() = default;
  Buffer(TensorBlock *in, void *data, size_t bytes) noexcept : count_(1), data_(data), bytes_(bytes), block_(in) {}
  Buffer(TensorBlock *in, trace::Recorder *recorder, uint32_t value, size_t bytes, const SourceLine *where,
         Device device) noexcept
      : count_(listed + 1), value_(value), bytes_(bytes), recorder_(recorder), device_(device), where_(where),
        block_(in) {}
  void releaseListed(uint32_t count) const;
  void unlist();

  /// The references, and the bit that says that a recorder lists this buffer: the recorder's own thread then takes it
  /// off the list with the last reference, any other thread leaves it to the recorder.
  static constexpr uint32_t listed = 1u << 31;
  mutable std::atomic<uint32_t> count_{0};
  uint32_t value_ = 0;
  void *data_ = nullptr;
  size_t bytes_ = 0;
  std::atomic<trace::Recorder *> recorder_{nullptr};
  std::atomic<uint32_t> exports_{0};
  bool readOnly_ = false;
  Device device_;
  union {
    const SourceLine *where_ = nullptr; ///< while pending; for ever there, as other threads may read it
    device::Block *deviceBlock_;        ///< of a buffer that owns memory of a device
  };
  Ref<Buffer> owner_;                              ///< whose memory `data_` is, after `fulfil`
  ReorderedMemory *reordered_ = nullptr;           ///< a reference of this buffer's own; null: row-major
  std::unique_ptr<std::function<void()>> release_; ///< of adopted memory
  TensorBlock *const block_ = nullptr;             ///< that the buffer is a part of; null: on its own
};

/// One step from a base tensor to a view: a view op of the dialect (reshape, permute, slice, broadcast_to).
struct ViewStep : RefCounted<ViewStep>, Pooled<ViewStep> {
  Ref<const ViewStep> parent; ///< null: the step starts at the base
  OpId op{};
  Attrs attrs;
  Shape sizes;                  ///< of the result
  Shape baseSizes, baseStrides; ///< of the base tensor, whose strides may be a compiled result's own dim order
};

struct Storage : RefCounted<Storage>, Pooled<Storage> {
  Storage() = default;
  Storage(Ref<Buffer> b, DType t) : buffer(std::move(b)), dtype(t) {}
  Storage(TensorBlock *in, Ref<Buffer> b, DType t) noexcept
      : RefCounted(1), buffer(std::move(b)), block(in), dtype(t) {}
  using Pooled<Storage>::operator delete;
  static void operator delete(Storage *s, std::destroying_delete_t);
  Ref<Buffer> buffer;
  TensorBlock *const block = nullptr; ///< that the storage is a part of; null: on its own
  DType dtype{};
  uint32_t version = 0; ///< counts in-place updates; a recorded view older than this is read again
};

struct TensorImpl : RefCounted<TensorImpl>, Pooled<TensorImpl> {
  Ref<Storage> storage;
  Shape sizes, strides;
  int64_t offset = 0;           ///< in elements
  Ref<const ViewStep> view;     ///< null: the base itself
  Ref<autograd::Meta> autograd; ///< null: no gradient, no tape
  bool madeUnderNoGrad = false; ///< a view that the tape has no link from to its base
  /// While recording: the value of this view, the segment that it was read in and the storage's version then.
  uint64_t viewSegment = 0;
  uint32_t viewValue = 0, viewVersion = 0;
  TensorBlock *const block = nullptr; ///< that the tensor is a part of; null: on its own

  TensorImpl();
  TensorImpl(TensorBlock *in, Ref<Storage> st, const Shape &n, const Shape &s) noexcept;
  TensorImpl(const TensorImpl &) = delete;
  ~TensorImpl();
  using Pooled<TensorImpl>::operator delete;
  static void operator delete(TensorImpl *t, std::destroying_delete_t);
  DType dtype() const { return storage->dtype; }
  Device device() const { return storage->buffer->device(); }
};

/// A new tensor that is its storage's base, the storage and its first value, in one allocation. Each part lives for as
/// long as it is held; the memory is freed with the last of them.
class TensorBlock : public Pooled<TensorBlock> {
public:
  /// A value with memory, which the block takes over.
  static TensorImpl *make(DType dtype, const Shape &sizes, const Shape &strides, void *data, size_t bytes) {
    return &(new TensorBlock(dtype, sizes, strides, data, bytes))->impl_;
  }
  /// A pending value, see `Buffer`.
  static TensorBlock *pending(const trace::ResultSpec &spec, trace::Recorder *recorder, uint32_t value,
                              const SourceLine *where);
  /// Of a block that the recorder has got back: the handle of another of its values, of this layout.
  void renew(uint32_t value, const SourceLine *where) {
    buffer_.value_ = value;
    buffer_.where_ = where;
    storage_.version = 0;
    impl_.retainFirst();
  }
  /// The same for any layout.
  void renewAs(const trace::ResultSpec &spec, uint32_t value, const SourceLine *where);
  /// Frees a block that the recorder has got back.
  static void discard(TensorBlock *block);
  /// `ResultSpec::layout` of a pending value.
  uint64_t layout() const { return layout_; }
  TensorBlock *nextSpare = nullptr; ///< in the recorder's list
  TensorImpl *impl() { return &impl_; }
  Buffer *buffer() { return &buffer_; }

private:
  template <class... Value>
  TensorBlock(DType dtype, const Shape &sizes, const Shape &strides, Value... value)
      : buffer_(this, value...), storage_(this, Ref<Buffer>::adopt(&buffer_), dtype),
        impl_(this, Ref<Storage>::adopt(&storage_), sizes, strides) {}
  friend class Buffer;
  friend struct Storage;
  friend struct TensorImpl;
  friend class TensorBase;
  bool isUnshared() const;
  bool diesPending() const;
  void destroy();
  void dropPart();

  Buffer buffer_;
  Storage storage_;
  TensorImpl impl_;
  uint64_t layout_ = 0;
  std::atomic<uint32_t> parts_{3}; ///< that are alive
};

} // namespace tensorjit
