/// Values of tensors that a recording did not make itself: leaves, views of leaves, views whose base has moved on.
///
/// A leaf is known by its Buffer, so two tensors that share a value are one leaf and `f(x, x)` differs from `f(x, y)`.
/// The table belongs to the recording: nothing in a shared tensor is marked.
#include "autograd/Meta.h"
#include "core/TensorAccess.h"
#include "trace/Lines.h"
#include "trace/Recorder.h"
#include "trace/Recording.h"

namespace tensorjit::trace {

namespace {

bool collectsGrad(const TensorImpl &t) {
  return t.autograd && (t.autograd->requiresGrad || static_cast<bool>(t.autograd->producer));
}

/// A view of the whole of a base that is not row-major: through the base it needs no copy.
bool readsReorderedBase(const TensorImpl &t) {
  return !t.storage->buffer->order().isRowMajor() && t.sizes.numel() == baseLayout(t).sizes.numel();
}

} // namespace

void failForeign(const Buffer &buffer) {
  if (buffer.recorder() == Buffer::lost())
    throw Error("this tensor has no value: the run of the compiled function that recorded it failed");
  throw Error("this tensor was recorded at " + text(buffer.where()) +
              " by a compiled function that is still running on another thread; it has no value yet");
}

ValueId Recorder::valueOf(TensorImpl &t, const SourceLocation &loc) {
  if (t.view) return viewValue(t, loc);
  Buffer &buffer = *t.storage->buffer;
  if (buffer.recorder() == this) return buffer.value();
  return baseValue(buffer, t.dtype(), t.sizes, collectsGrad(t));
}

ValueId Recorder::baseValue(Buffer &buffer, DType dtype, const Shape &sizes, bool requiresGrad) {
  if (buffer.recorder() == this) return buffer.value();
  if (buffer.isPending()) failForeign(buffer);
  LeafSlot &slot = leafSlot(buffer, wholeBuffer, nullptr);
  if (slot.segment == segment_) return leaves_[slot.leaf].value;
  return bindLeaf(slot, buffer, wholeBuffer, {dtype, buffer.device(), requiresGrad, false, buffer.order(), sizes});
}

ValueId Recorder::viewValue(TensorImpl &t, const SourceLocation &loc) {
  Storage &storage = *t.storage;
  bool madeHere = t.viewSegment == segment_;
  if (madeHere && t.viewVersion == storage.version) return t.viewValue;
  Buffer &buffer = *storage.buffer;
  uint32_t known = PointerIndex::none;
  if (!madeHere) {
    known = outsideViewIndex_.find(&t);
    if (known != PointerIndex::none && outsideViews_[known].version == storage.version)
      return outsideViews_[known].value;
    if (!buffer.isPending() && t.strides == t.sizes.denseStrides() && !readsReorderedBase(t)) return windowValue(t);
  }
  ValueId base = baseValue(buffer, t.dtype(), baseLayout(t).sizes, collectsGrad(t));
  ValueId value = replay(*t.view, base, loc);
  if (madeHere) {
    t.viewValue = value;
    t.viewVersion = storage.version;
  } else if (known != PointerIndex::none) {
    outsideViews_[known].version = storage.version;
    outsideViews_[known].value = value;
  } else {
    // Kept alive to the end of the segment, so that its address stays its own.
    outsideViewIndex_.insert(&t);
    outsideViews_.push_back({Ref<TensorImpl>(&t), storage.version, value});
  }
  return value;
}

/// A dense view that was made outside enters as it lies: which rows of a data set it shows is then no part of the path.
ValueId Recorder::windowValue(const TensorImpl &t) {
  Buffer &buffer = *t.storage->buffer;
  int64_t offset = t.offset * static_cast<int64_t>(itemSize(t.dtype()));
  LeafSlot &slot = leafSlot(buffer, offset, &t.sizes);
  if (slot.segment == segment_) return leaves_[slot.leaf].value;
  return bindLeaf(slot, buffer, offset, {t.dtype(), buffer.device(), collectsGrad(t), true, MemoryOrder(), t.sizes});
}

ValueId Recorder::replay(const ViewStep &step, ValueId base, const SourceLocation &loc) {
  if (step.parent) base = replay(*step.parent, base, loc);
  return recordStep(step.op, base, step.attrs, loc);
}

ValueId Recorder::bindLeaf(LeafSlot &slot, Buffer &buffer, int64_t offset, const LeafSpec &spec) {
  ValueId value = static_cast<ValueId>(values_.size());
  values_.push_back({offset == wholeBuffer ? &buffer : nullptr, nullptr});
  newLeaves_.push_back(spec);
  slot = {&buffer, offset, segment_, static_cast<uint32_t>(leaves_.size())};
  leaves_.push_back({value, Ref<Buffer>(&buffer), offset, spec.dtype, spec.sizes, nullptr});
  if (leaves_.size() * 2 > leafTable_.size()) growLeafTable();
  return value;
}

/// The slot that holds this leaf, or the free one where it belongs.
Recorder::LeafSlot &Recorder::leafSlot(const Buffer &buffer, int64_t offset, const Shape *sizes) {
  size_t mask = leafTable_.size() - 1;
  uint64_t key = reinterpret_cast<uintptr_t>(&buffer) / 16 + static_cast<uint64_t>(offset) * 31;
  for (size_t i = (key * 0x9e3779b97f4a7c15u >> 32) & mask;; i = (i + 1) & mask) {
    LeafSlot &slot = leafTable_[i];
    if (slot.segment != segment_) return slot;
    if (slot.buffer == &buffer && slot.offset == offset && (!sizes || leaves_[slot.leaf].sizes == *sizes)) return slot;
  }
}

void Recorder::growLeafTable() {
  std::vector<LeafSlot> old(leafTable_.size() * 2);
  old.swap(leafTable_);
  for (const LeafSlot &slot : old) {
    if (slot.segment != segment_) continue;
    const Leaf &leaf = leaves_[slot.leaf];
    leafSlot(*slot.buffer, slot.offset, slot.offset == wholeBuffer ? nullptr : &leaf.sizes) = slot;
  }
}

/// Leaves are unbound in the reverse order of binding, so no probe sequence loses its middle.
void Recorder::unbindNewLeaves() {
  for (; !newLeaves_.empty(); newLeaves_.pop_back()) {
    const Leaf &leaf = leaves_.back();
    leafSlot(*leaf.buffer, leaf.offset, leaf.offset == wholeBuffer ? nullptr : &leaf.sizes).segment = 0;
    leaves_.pop_back();
    values_.pop_back();
  }
}

} // namespace tensorjit::trace
