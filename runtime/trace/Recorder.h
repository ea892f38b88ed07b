#pragma once
/// What dispatch and autograd see of a recording.
///
/// While a compiled function runs on a thread, its ops are not computed: `dispatch` hands them to the thread's
/// recorder, which compares each with the function's trace tree and returns handles on pending values. The path's
/// executable runs at the end of the function, or where the program reads data (a graph break).
///
/// A value saved for backward is a snapshot: a new `TensorImpl` on a new `Storage` with the same Buffer and the same
/// view steps. It works alike for pending and for concrete values.
#include "core/PointerIndex.h"
#include "core/TensorImpl.h"
#include "tensorjit/tensor_base.h"
#include "trace/CompiledSegment.h"
#include "trace/TraceTree.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace tensorjit::trace {

class CompiledState;

/// What ops depend on besides operands and attributes; part of every recorded op.
enum ModeBits : uint32_t { GradEnabled = 1, DeviceShift = 8, DeviceMask = 0xff << DeviceShift };
#define TENSORJIT_HOT_TLS __attribute__((tls_model("initial-exec")))
extern constinit thread_local uint32_t modeWord TENSORJIT_HOT_TLS;
inline bool gradEnabled() { return modeWord & GradEnabled; }

/// Where ops of this thread run that have no tensor to say it, but for host numbers.
inline Device defaultDevice() { return Device::fromCode(static_cast<uint8_t>(modeWord >> DeviceShift)); }

/// Sets the default device for its scope.
class DeviceScope {
public:
  explicit DeviceScope(Device device) : before_(modeWord & DeviceMask) { set(uint32_t(device.code()) << DeviceShift); }
  ~DeviceScope() { set(before_); }
  DeviceScope(const DeviceScope &) = delete;

private:
  static void set(uint32_t bits) { modeWord = (modeWord & ~uint32_t(DeviceMask)) | bits; }
  uint32_t before_;
};

class Recorder {
public:
  ~Recorder();
  /// The recording that ops of this thread go to; null outside a compiled function and while suspended.
  static Recorder *current() { return current_; }
  /// The recording of this thread, suspended or not.
  static Recorder *active() { return active_; }

  /// Records an op, not a view, where it is just the one that followed here before: the usual case, short enough to be
  /// inlined. False: nothing has happened, `record` is to be called.
  bool recordExpected(OpId op, std::span<const TensorBase *const> operands, const Attrs &attrs,
                      std::span<TensorBase> results);
  /// The same for an op without attributes whose operands are all required, with one result; null: nothing has
  /// happened.
  template <class... T> TensorImpl *recordExpected(OpId op, const T *...operands);

  /// Records one op. Fills `results` with new tensors whose values are pending. An error of the op's shape rule is
  /// thrown from here, without a source line, and leaves nothing recorded. Operands that are absent (optional) may be
  /// null or undefined tensors.
  void record(OpId op, std::span<const TensorBase *const> operands, const Attrs &attrs, std::span<TensorBase> results,
              const SourceLocation &loc);

  /// A host number as a 0-d tensor. Its value is a constant of the path at first; at the second distinct value in
  /// the same place, or at once with `runtime`, it is an argument of the path.
  TensorBase scalar(Scalar value, DType dtype, bool runtime, const SourceLocation &loc);

  /// Records a view op. `result` already is the alias that eager execution would make: operand's storage, strides,
  /// offset, and a `ViewStep` for this op. (Where eager must copy, as reshape of strided data, use `record`.)
  void recordView(OpId op, const TensorBase &operand, const Attrs &attrs, const TensorBase &result,
                  const SourceLocation &loc);

  /// Gives `target`, a base tensor or a view, the value of `value` (same sizes and dtype), as an in-place op does:
  /// visible through the base and every other view. The elements of `target` do not overlap.
  void assign(const TensorBase &target, const TensorBase &value, const SourceLocation &loc);

  /// The compiled function that this recording belongs to. The tape keeps it, so that a backward pass outside can be
  /// recorded as well (`recordBackward`).
  const std::shared_ptr<CompiledState> &origin() const { return state_; }

  /// Nobody holds the pending value any more.
  void forget(ValueId value) { values_[value].buffer = nullptr; }
  /// Nor anything else of its handle, which the next value then gets.
  void recycle(TensorBlock *block) {
    forget(block->buffer()->value());
    block->nextSpare = spares_;
    spares_ = block;
  }

private:
  friend class Recording;
  friend class SuspendRecording;
  friend void materialise(const TensorBase &, const char *, const SourceLocation &);
  static constinit thread_local Recorder *current_ TENSORJIT_HOT_TLS;
  static constinit thread_local Recorder *active_ TENSORJIT_HOT_TLS; ///< `current_`, suspended or not

  struct Value {
    /// Of a leaf: its own, kept alive by `leaves_`; null for a window. Of a pending value: null where nobody holds it
    /// and for a view, which stands for its value itself.
    Buffer *buffer = nullptr;
    const TraceNode *node = nullptr; ///< what makes it; null for a leaf
  };
  static constexpr int64_t wholeBuffer = -1;
  struct Leaf {
    ValueId value = 0;
    Ref<Buffer> buffer;
    int64_t offset = wholeBuffer; ///< of a window, in bytes
    DType dtype{};
    Shape sizes;
    Ref<Buffer> update; ///< what the storages that held the leaf hold after the run; null: as before
  };
  struct LeafSlot {
    const Buffer *buffer = nullptr;
    int64_t offset = wholeBuffer;
    uint64_t segment = 0;
    uint32_t leaf = 0;
  };
  struct OutsideView {
    Ref<TensorImpl> view;
    uint32_t version;
    ValueId value;
  };
  struct Written {
    Ref<Storage> storage;
    ValueId leaf;
    ValueId value; ///< what the storage holds now
  };
  /// A part of a leaf's memory that receives a value, instead of the whole leaf.
  struct Window {
    ValueId leaf, value;
    const TraceNode *node; ///< the `slice_scatter`
    Ref<Buffer> memory;    ///< that the window is a part of
  };
  struct alignas(64) ArgumentValue { ///< aligned as every input of a program
    int64_t bits;
    ValueId value;
  };
  /// The tree or the segment is at its limit: the call goes on eagerly.
  struct Overflow {
    const char *reason;
  };

  void begin(std::shared_ptr<CompiledState> state, TraceTree &tree);
  /// Runs what has been recorded since the last flush and gives every value that is still held its memory.
  void flush();
  /// The same by eager kernels. `why`: the path is too long at this place in every call, and what was made for it is
  /// kept.
  void flushEagerly(const char *why = nullptr);
  template <class Find> void runSegment(Find find);
  void end();

  // Match.h
  TraceNode *expected(OpId op, size_t operands, size_t attrs) const;
  bool holds(ValueId value, const TensorImpl *operand) const;
  ValueId newValue(const TraceNode &node);
  TensorImpl *newTensor(const TraceNode &node, const ResultSpec &spec);
  /// Where no spare handle of this layout lies ready.
  [[gnu::noinline]] TensorImpl *newTensorOfOther(const TraceNode &node, const ResultSpec &spec);

  // Recorder.cpp: matching
  TraceNode *advance(const OpKey &key, const Attrs &attrs, const SourceLocation &loc);
  TraceNode *grow(const OpKey &key, const Attrs &attrs, const SourceLocation &loc);
  TraceNode *growScalar(std::span<const int64_t> words, const ResultSpec &result, bool runtime,
                        const SourceLocation &loc);
  TraceNode *link(const OpKey &key, std::span<const ResultSpec> results, bool varies, const SourceLocation &loc);
  void enterDevice(Device device, const SourceLocation &loc);
  std::vector<ResultSpec> inferResults(const OpKey &key, const Attrs &attrs) const;
  TensorType typeOfValue(ValueId value) const;
  TraceNode *matchScalar(std::span<const int64_t> words, const ResultSpec &result, bool runtime);
  std::span<const LeafSpec> newLeaves() const {
    return newLeaves_.empty() ? std::span<const LeafSpec>() : std::span<const LeafSpec>(newLeaves_);
  }
  ValueId recordStep(OpId op, ValueId operand, const Attrs &attrs, const SourceLocation &loc);
  Ref<Buffer> bufferOf(ValueId value);
  const ResultSpec &specOf(ValueId value) const;
  bool isLeaf(ValueId value) const { return !values_[value].node; }
  bool isWindow(ValueId value) const { return !values_[value].buffer && !values_[value].node; }
  void assignBase(Storage &storage, const TensorBase &value, const SourceLocation &loc);
  void noteWrite(Storage &storage, ValueId value, const Shape &sizes, const SourceLocation &loc);
  void overflow(const Overflow &why, const SourceLocation &loc);

  // Leaves.cpp: values of tensors from outside and of views
  ValueId valueOf(TensorImpl &t, const SourceLocation &loc);
  ValueId viewValue(TensorImpl &t, const SourceLocation &loc);
  ValueId replay(const ViewStep &step, ValueId base, const SourceLocation &loc);
  ValueId baseValue(Buffer &buffer, DType dtype, const Shape &sizes, bool requiresGrad);
  ValueId windowValue(const TensorImpl &t);
  ValueId bindLeaf(LeafSlot &slot, Buffer &buffer, int64_t offset, const LeafSpec &spec);
  LeafSlot &leafSlot(const Buffer &buffer, int64_t offset, const Shape *sizes);
  void unbindNewLeaves();
  void growLeafTable();

  // Flush.cpp
  void startSegment(const char *reason, std::string_view file, uint32_t line);
  void collectOutputs();
  void execute(const CompiledSegment &segment);
  void writeBack(size_t output, ValueId leaf);
  void deliver(const CompiledSegment &segment);
  void updateStorages();
  void *inputPointer(ValueId value, const TensorSpec &spec);
  Leaf &leafOf(ValueId value);
  void noteForSave(const CompiledSegment &segment) const; ///< Save.cpp
  void lose();
  // PartialWrites.cpp
  bool collectWindows(const Written &written);
  bool dropWindows(size_t size);
  void orderOutputs(Device device);
  void placeWindows();
  void writeWindows(const CompiledSegment &segment);
  void reset();
  void newSegment();
  Device segmentDevice() const { return cursor_->device.value_or(Device()); }
  void useDevice(Device device, const SourceLocation &loc) {
    if (cursor_->device != device) enterDevice(device, loc);
  }

  std::shared_ptr<CompiledState> state_;
  TraceTree *tree_ = nullptr;
  int side_ = 0; ///< of the tree, that the call is counted on
  TraceNode *cursor_ = nullptr;
  uint64_t segment_ = 0, segmentsEnd_ = 0; ///< its number; where the numbers that are this recorder's end
  Device entered_;                         ///< by the op being recorded, where it is the first of a segment
  std::vector<Value> values_;
  TensorBlock *spares_ = nullptr; ///< handles whose values nobody holds any more
  std::vector<Leaf> leaves_;
  std::vector<LeafSlot> leafTable_;
  std::vector<LeafSpec> newLeaves_; ///< bound by the op being recorded
  std::vector<OutsideView> outsideViews_;
  PointerIndex outsideViewIndex_; ///< by tensor
  std::vector<Written> written_;
  PointerIndex writtenIndex_; ///< by storage
  std::vector<Window> windows_;
  std::vector<ArgumentValue> arguments_;
  std::vector<SegmentOutput> outputs_;
  // Of the run in progress; kept for their memory.
  std::vector<void *> inputPointers_, outputPointers_;
  std::vector<Ref<Buffer>> outputMemory_, copies_;
};

/// Makes the value of `t` readable on the host: runs what the thread's recording holds so far (a graph break) when
/// the value is pending. Throws `Error` for a pending value of another thread. `reason`: "item", "data_ptr" ...
void materialise(const TensorBase &t, const char *reason, const SourceLocation &loc);
inline bool isPending(const TensorBase &t) { return t.impl()->storage->buffer->isPending(); }

/// Whether a compiled function has recorded in this process.
bool anythingRecorded();

/// Runs `body`, a backward pass whose tape was recorded by `origin`, under a recording of its own. Runs it eagerly
/// where a recording is active already or `origin` is null.
void recordBackward(const std::shared_ptr<CompiledState> &origin, const std::function<void()> &body,
                    const SourceLocation &loc);

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
