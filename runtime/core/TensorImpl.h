#pragma once
/// How a tensor is held.
///
///   Buffer      one value: bytes, or a value of a recording that has not run yet. Never changes once shared.
///   Storage     a mutable cell that holds the current Buffer; two tensors alias exactly when they share a Storage.
///   TensorImpl  what a handle points at: a strided window on a Storage, and its place in the autograd tape.
///
/// An in-place op gives the Storage a new Buffer, or writes into the old one when nobody else holds it. So a value
/// saved for backward (it holds the Buffer) is never invalidated.
#include "core/Ref.h"
#include "op/OpInfo.h"

#include <cstddef>
#include <functional>

namespace tensorjit {

namespace autograd { struct Meta; }
namespace trace { class Recorder; }

class Buffer : public RefCounted<Buffer> {
public:
  /// Uninitialised memory, 64-byte aligned. Throws `out_of_memory`.
  static Ref<Buffer> allocate(size_t bytes);
  /// Memory of another owner, given back through `release`.
  static Ref<Buffer> adopt(void *data, size_t bytes, std::function<void()> release);
  /// A value of `recorder` that has no memory yet.
  static Ref<Buffer> pending(trace::Recorder *recorder, uint32_t value, size_t bytes);

  bool isPending() const { return recorder_ != nullptr; }
  void *data() const { return data_; } ///< null while pending
  size_t bytes() const { return bytes_; }
  trace::Recorder *recorder() const { return recorder_; }
  uint32_t value() const { return value_; }
  /// Called by the recorder when the value has been computed: this buffer takes over the memory of `from`.
  void fulfil(Ref<Buffer> from);

  ~Buffer(); ///< a pending buffer tells its recorder that nobody needs the value any more

private:
  Buffer() = default;
  void *data_ = nullptr;
  size_t bytes_ = 0;
  trace::Recorder *recorder_ = nullptr;
  uint32_t value_ = 0;
  Ref<Buffer> owner_; ///< whose memory `data_` is, after `fulfil`
  std::function<void()> release_;
  friend class RefCounted<Buffer>;
};

/// One step from a base tensor to a view: a view op of the dialect (reshape, permute, slice, broadcast_to).
struct ViewStep : RefCounted<ViewStep> {
  Ref<const ViewStep> parent; ///< null: the step starts at the base
  OpId op{};
  Attrs attrs;
  Shape sizes; ///< of the result
};

struct Storage : RefCounted<Storage> {
  Ref<Buffer> buffer;
  DType dtype{};
  Shape sizes;          ///< of the base tensor
  Shape strides;        ///< of the base tensor: row-major, or a compiled result's own dim order
  uint32_t version = 0; ///< counts in-place updates; a recorded view older than this is read again
};

struct TensorImpl : RefCounted<TensorImpl> {
  Ref<Storage> storage;
  Shape sizes, strides;
  int64_t offset = 0; ///< in elements
  Ref<const ViewStep> view; ///< null: the base itself
  Ref<autograd::Meta> autograd; ///< null: no gradient, no tape
  /// While recording: the value of this view and the storage version it was read at.
  Ref<Buffer> viewValue;
  uint32_t viewVersion = 0;

  TensorImpl();
  TensorImpl(const TensorImpl &) = delete;
  ~TensorImpl();
  DType dtype() const { return storage->dtype; }
};

} // namespace tensorjit
