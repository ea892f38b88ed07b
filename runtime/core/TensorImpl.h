#pragma once
/// How a tensor is held.
///
///   Buffer      one value: bytes, or a value of a recording that has not run yet. Never changes once shared. A
///   compiled
///               function may leave its bytes in another order than row-major and read them like that again; `data`,
///               which all else uses, gives row-major bytes whatever lies in memory.
///   Storage     a mutable cell that holds the current Buffer; two tensors alias exactly when they share a Storage.
///   TensorImpl  what a handle points at: a strided window on a Storage, and its place in the autograd tape.
///
/// An in-place op gives the Storage a new Buffer, or writes into the old one when nobody else holds it. So a value
/// saved for backward (it holds the Buffer) is never invalidated.
#include "core/MemoryOrder.h"
#include "core/ObjectPool.h"
#include "core/Ref.h"
#include "op/OpInfo.h"

#include <cstddef>
#include <functional>

namespace tensorjit {

namespace autograd {
struct Meta;
}
namespace trace {
class Recorder;
struct TraceNode;
} // namespace trace

struct ReorderedMemory;

class Buffer : public RefCounted<Buffer>, public Pooled<Buffer> {
public:
  /// Uninitialised memory, 64-byte aligned. Throws `out_of_memory`.
  static Ref<Buffer> allocate(size_t bytes);
  /// The same for a tensor that lies in `order`, to be written through `storedData`.
  static Ref<Buffer> allocate(const TensorType &type, MemoryOrder order);
  /// Memory of another owner, given back through `release`.
  static Ref<Buffer> adopt(void *data, size_t bytes, std::function<void()> release);
  /// A value of `recorder`, made by the recorded op `node`, that has no memory yet. The recorder holds one reference
  /// to each of its values; those that nobody else holds at the end of the recording are not computed.
  /// Comes with two references, the caller's and the recorder's, which the caller adopts.
  static Buffer *pending(trace::Recorder *recorder, uint32_t value, size_t bytes, const trace::TraceNode *node) {
    auto *b = new Buffer;
    b->retainFirst(2);
    b->bytes_ = bytes;
    b->recorder_ = recorder;
    b->value_ = value;
    b->node_ = node;
    return b;
  }

  bool isPending() const { return recorder_ != nullptr; }
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
  trace::Recorder *recorder() const { return recorder_; }
  uint32_t value() const { return value_; }
  const trace::TraceNode *node() const { return node_; }
  /// Called by the recorder when the value has been computed: this buffer takes over the memory of `from`.
  void fulfil(Ref<Buffer> from);
  /// The run that should have computed the value failed: it stays pending for ever, and using it is an error.
  void lose() {
    recorder_ = lost();
    node_ = nullptr;
  }
  static trace::Recorder *lost() { return reinterpret_cast<trace::Recorder *>(1); }
  /// Whether others know the address of the memory, because it is theirs or was exported: a new value is then copied
  /// into it rather than put in its place.
  bool isForeign() const { return release_ || exports_.load(std::memory_order_relaxed); }
  /// References that other libraries hold through DLPack: they see what is written into the memory.
  void addExport() { exports_.fetch_add(1, std::memory_order_relaxed); }
  void dropExport() { exports_.fetch_sub(1, std::memory_order_relaxed); }
  /// The memory of another owner who does not allow writes.
  void setReadOnly() { readOnly_ = true; }
  bool isReadOnly() const { return readOnly_; }
  /// Whether the caller's reference is the only one, so that the memory may be written (as it lies).
  bool isExclusive() const {
    return useCount() == 1 + exports_.load(std::memory_order_relaxed) && !readOnly_ &&
           (!owner_ || owner_->isExclusive());
  }

  ~Buffer();

private:
  Buffer() = default;
  void *data_ = nullptr;
  size_t bytes_ = 0;
  trace::Recorder *recorder_ = nullptr;
  uint32_t value_ = 0;
  std::atomic<uint32_t> exports_{0};
  bool readOnly_ = false;
  const trace::TraceNode *node_ = nullptr;
  Ref<Buffer> owner_;                    ///< whose memory `data_` is, after `fulfil`
  ReorderedMemory *reordered_ = nullptr; ///< a reference of this buffer's own; null: row-major
  std::function<void()> release_;        ///< of adopted memory
  friend class RefCounted<Buffer>;
};

/// One step from a base tensor to a view: a view op of the dialect (reshape, permute, slice, broadcast_to).
struct ViewStep : RefCounted<ViewStep> {
  Ref<const ViewStep> parent; ///< null: the step starts at the base
  OpId op{};
  Attrs attrs;
  Shape sizes; ///< of the result
};

struct Storage : RefCounted<Storage>, Pooled<Storage> {
  Storage() = default;
  Storage(Ref<Buffer> b, DType t, const Shape &n, const Shape &s)
      : buffer(std::move(b)), dtype(t), sizes(n), strides(s) {}
  Ref<Buffer> buffer;
  DType dtype{};
  Shape sizes;          ///< of the base tensor
  Shape strides;        ///< of the base tensor
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

  TensorImpl();
  TensorImpl(Ref<Storage> st, const Shape &n, const Shape &s);
  TensorImpl(const TensorImpl &) = delete;
  ~TensorImpl();
  DType dtype() const { return storage->dtype; }
};

} // namespace tensorjit
