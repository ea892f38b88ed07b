#pragma once
/// What dispatch and autograd see of a recording.
///
/// While a compiled function runs on a thread, its ops are not computed: `dispatch` hands them to the thread's
/// recorder, which compares each with the function's trace tree and returns handles on pending values. The path's
/// executable runs at the end of the function, or where the program reads data (a graph break).
///
/// A value saved for backward is a snapshot: a new `TensorImpl` on a new `Storage` with the same Buffer and the same
/// view steps. It works alike for pending and for concrete values.
#include "core/TensorImpl.h"
#include "tensorjit/tensor.h"
#include "trace/TraceTree.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace tensorjit::trace {

class CompiledState;

/// What ops depend on besides operands and attributes; part of every recorded op.
enum ModeBits : uint32_t { GradEnabled = 1 };
#define TENSORJIT_HOT_TLS __attribute__((tls_model("initial-exec")))
extern constinit thread_local uint32_t modeWord TENSORJIT_HOT_TLS;

class Recorder {
public:
  /// The recording that ops of this thread go to; null outside a compiled function and while suspended.
  static Recorder *current() { return current_; }

  /// Records one op. Fills `results` with new tensors whose values are pending. An error of the op's shape rule is
  /// thrown from here, without a source line, and leaves nothing recorded. Operands that are absent (optional) may be
  /// null or undefined tensors.
  void record(OpId op, std::span<const Tensor *const> operands, const Attrs &attrs, std::span<Tensor> results,
              SourceLocation loc);

  /// A host number as a 0-d tensor. Its value is a constant of the path at first; at the second distinct value in
  /// the same place, or at once with `runtime`, it is an argument of the path.
  Tensor scalar(Scalar value, DType dtype, bool runtime, SourceLocation loc);

  /// Records a view op. `result` already is the alias that eager execution would make: operand's storage, strides,
  /// offset, and a `ViewStep` for this op. (Where eager must copy, as reshape of strided data, use `record`.)
  void recordView(OpId op, const Tensor &operand, const Attrs &attrs, const Tensor &result, SourceLocation loc);

  /// Gives `target`, a base tensor or a view, the value of `value` (same sizes and dtype), as an in-place op does:
  /// visible through the base and every other view. Throws `alias_error` for a view whose elements overlap, before
  /// anything has changed.
  void assign(const Tensor &target, const Tensor &value, SourceLocation loc);

  /// The compiled function that this recording belongs to. The tape keeps it, so that a backward pass outside can be
  /// recorded as well (`recordBackward`).
  const std::shared_ptr<CompiledState> &origin() const { return state_; }

  // For the compiled function that owns the recording.
  Recorder(std::shared_ptr<CompiledState> state, TraceTree &tree);
  ~Recorder();
  Recorder(const Recorder &) = delete;
  /// Runs what has been recorded since the last flush and gives every value that is still held its memory.
  void finish();
  /// The same with eager kernels and without compiling: an exception is on its way out.
  void abandon();

private:
  friend class SuspendRecording;
  friend void materialise(const Tensor &, const char *, SourceLocation);
  static constinit thread_local Recorder *current_ TENSORJIT_HOT_TLS;

  struct Leaf {
    ValueId value;
    Ref<Buffer> buffer;
    int64_t offset = 0; ///< of a window, in bytes
  };
  struct LeafSlot {
    const Buffer *buffer = nullptr;
    int64_t offset = 0;
    uint64_t segment = 0;
    ValueId value = 0;
    bool window = false;
  };
  struct OutsideView {
    Ref<TensorImpl> view;
    uint32_t version;
    ValueId value;
  };
  struct Written {
    Ref<Storage> storage;
    ValueId leaf;
  };
  struct ArgumentValue {
    ValueId value;
    int64_t bits;
  };

  TraceNode *advance(TraceNode::Kind kind, const OpKey &key, const Attrs &attrs, SourceLocation loc);
  TraceNode *grow(TraceNode::Kind kind, const OpKey &key, const Attrs &attrs, SourceLocation loc);
  std::vector<ResultSpec> inferResults(const OpKey &key, const Attrs &attrs) const;
  ValueId valueOf(TensorImpl &t, bool forWrite, SourceLocation loc);
  ValueId bufferValue(Buffer &buffer, const TensorImpl &t);
  ValueId bindLeaf(Buffer &buffer, const TensorImpl &t, bool window);
  ValueId viewValue(TensorImpl &t, bool forWrite, SourceLocation loc);
  ValueId recordStep(OpId op, std::span<const ValueId> operands, const Attrs &attrs, SourceLocation loc);
  Ref<Buffer> &newValue(const TraceNode &node, size_t result);
  void unbindLeaves(size_t count);
  LeafSlot &leafSlot(const Buffer &buffer, int64_t offset, bool window);
  void growLeafTable();
  void run(bool compiled);
  void startSegment(const char *reason, SourceLocation loc);
  void reset();

  std::shared_ptr<CompiledState> state_;
  TraceTree &tree_;
  TraceNode *cursor_;
  uint64_t segment_;
  std::vector<Ref<Buffer>> values_; ///< pending Buffer of each value; null for leaves
  std::vector<Leaf> leaves_;
  std::vector<LeafSlot> leafTable_;
  std::vector<LeafSpec> newLeaves_; ///< bound by the op being recorded
  std::vector<OutsideView> outsideViews_;
  std::vector<Written> written_;
  std::vector<ArgumentValue> arguments_;
  Recorder *outer_ = nullptr;
};

/// Makes the value of `t` readable on the host: runs what the thread's recording holds so far (a graph break) when
/// the value is pending. Throws `Error` for a pending value of another thread. `reason`: "item", "data_ptr" ...
void materialise(const Tensor &t, const char *reason, SourceLocation loc);
inline bool isPending(const Tensor &t) { return t.impl()->storage->buffer->isPending(); }

/// Runs `body`, a backward pass whose tape was recorded by `origin`, under a recording of its own. Runs it eagerly
/// where a recording is active already or `origin` is null.
void recordBackward(const std::shared_ptr<CompiledState> &origin, const std::function<void()> &body,
                    SourceLocation loc);

/// Ops inside the scope run eagerly; pending operands are materialised. The data loader holds one while it fetches.
class SuspendRecording {
public:
  SuspendRecording() : saved_(Recorder::current_) { Recorder::current_ = nullptr; }
  ~SuspendRecording() { Recorder::current_ = saved_; }
  SuspendRecording(const SuspendRecording &) = delete;

private:
  Recorder *saved_;
};

} // namespace tensorjit::trace
