/// The end of a segment: which values are still held, the executable that computes them, and giving them their memory.
#include "core/Allocator.h"
#include "device/Memory.h"
#include "device/Transfer.h"
#include "tensorjit/error.h"
#include "trace/CompiledState.h"
#include "trace/Lines.h"
#include "trace/Recorder.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

namespace tensorjit::trace {

namespace {

/// Segments have numbers of their own throughout the process; a recorder takes many at once.
constexpr uint64_t numbersAtOnce = 1 << 16;
std::atomic<uint64_t> segments{0};

} // namespace

void Recorder::begin(std::shared_ptr<CompiledState> state, TraceTree &tree) {
  state_ = std::move(state);
  tree_ = &tree;
  side_ = tree.enter();
  cursor_ = tree.root();
  if (leafTable_.empty()) leafTable_.resize(64);
  newSegment();
  current_ = active_ = this;
}

void Recorder::end() {
  if (!values_.empty()) reset();
  current_ = active_ = nullptr;
  tree_->leave(side_);
  state_ = nullptr;
}

void Recorder::reset() {
  windows_.clear();
  values_.clear();
  leaves_.clear();
  newLeaves_.clear();
  outsideViews_.clear();
  outsideViewIndex_.clear();
  written_.clear();
  writtenIndex_.clear();
  arguments_.clear();
  outputMemory_.clear();
  copies_.clear();
  newSegment();
}

void Recorder::newSegment() {
  if (++segment_ < segmentsEnd_) return;
  segment_ = segments.fetch_add(numbersAtOnce, std::memory_order_relaxed) + 1;
  segmentsEnd_ = segment_ + numbersAtOnce;
}

void Recorder::startSegment(const char *reason, std::string_view file, uint32_t line) {
  auto same = [&](const TraceNode *n) {
    return n->kind == TraceNode::Break && n->where->line == line && n->where->file == file;
  };
  auto find = [&] {
    TraceNode *n = cursor_->firstChild.load(std::memory_order_acquire);
    while (n && !same(n)) n = n->nextSibling.load(std::memory_order_acquire);
    return n;
  };
  TraceNode *next = find();
  if (!next) {
    std::lock_guard lock(tree_->mutex());
    next = find();
    if (!next) {
      auto node = std::make_unique<TraceNode>();
      next = node.get();
      next->kind = TraceNode::Break;
      next->belowVarying = cursor_->belowVarying;
      next->reason = reason;
      next->where = &lineOf(file, line);
      tree_->link(cursor_, std::move(node));
    }
  }
  cursor_ = next;
}

void Recorder::flush() {
  std::unique_ptr<CompiledSegment> temporary;
  runSegment([&] {
    const CompiledSegment *known = CompiledState::find(*cursor_, outputs_);
    return known ? known : &state_->compile(*tree_, *cursor_, outputs_, temporary);
  });
}

void Recorder::flushEagerly(const char *why) {
  std::unique_ptr<CompiledSegment> temporary;
  runSegment([&] {
    const CompiledSegment *known = why ? CompiledState::find(*cursor_, outputs_) : nullptr;
    if (known) return known;
    if (why) return &state_->interpretAlways(*tree_, *cursor_, outputs_, why);
    temporary = CompiledState::interpreted(*cursor_, outputs_, state_->options.name);
    return static_cast<const CompiledSegment *>(temporary.get());
  });
}

/// `find` gives the segment that ends at the cursor and has `outputs_`.
template <class Find> void Recorder::runSegment(Find find) {
  tree_->noteUse(*cursor_);
  if (values_.empty()) return;
  outsideViews_.clear(); // they hold values that nobody may read any more
  outsideViewIndex_.clear();
  collectOutputs();
  if (outputs_.empty() && !cursor_->checks) return reset();
  try {
    const CompiledSegment *segment = find();
    if (!segment->compiled) state_->countEagerRun();
    execute(*segment);
  } catch (...) {
    lose();
    // The function may catch this and go on.
    startSegment("the run of what was recorded failed", cursor_->where->file, cursor_->where->line);
    throw;
  }
  reset();
}

/// Values that somebody holds, and the final values of storages from outside. A value goes into one leaf's memory at
/// most; further storages share it, as two tensors outside do.
void Recorder::collectOutputs() {
  outputs_.clear();
  for (Value &v : values_) {
    if (!v.buffer || !v.node) [[likely]]
      continue;
    if (v.buffer->isStillHeld()) outputs_.push_back({static_cast<ValueId>(&v - values_.data()), noValue});
    else v.buffer = nullptr;
  }
  auto find = [&](ValueId v) { return std::lower_bound(outputs_.begin(), outputs_.end(), SegmentOutput{v, 0}); };
  for (const Written &w : written_) {
    auto at = find(w.value);
    if (at == outputs_.end() || at->value != w.value || at->leaf != noValue) continue;
    if (collectWindows(w)) outputs_.erase(at);
    else at->leaf = w.leaf;
  }
  for (const Window &w : windows_)
    if (auto at = find(w.value); at == outputs_.end() || at->value != w.value) outputs_.insert(at, {w.value, noValue});
}

Recorder::Leaf &Recorder::leafOf(ValueId value) {
  return *std::lower_bound(leaves_.begin(), leaves_.end(), value, [](const Leaf &l, ValueId v) { return l.value < v; });
}

void *Recorder::inputPointer(ValueId value, const TensorSpec &spec) {
  auto number = std::lower_bound(arguments_.begin(), arguments_.end(), value,
                                 [](const ArgumentValue &a, ValueId v) { return a.value < v; });
  if (number != arguments_.end() && number->value == value) return &number->bits;
  const Leaf &leaf = leafOf(value);
  // An order in the spec is the leaf's own: it is part of the path. Eager kernels want row-major bytes of any leaf.
  const Device device = leaf.buffer->device();
  if (!device.is_cpu()) device::orderRead(*leaf.buffer);
  if (!spec.storageOrder.empty()) return leaf.buffer->storedData();
  void *data = static_cast<std::byte *>(leaf.buffer->data()) + std::max<int64_t>(leaf.offset, 0);
  if (isAligned(data)) return data;
  copies_.push_back(device::copyOf(data, spec, device));
  return copies_.back()->storedData();
}

void Recorder::execute(const CompiledSegment &segment) {
  const Executable &exe = segment.program->executable();
  const Device device = segmentDevice();
  copies_.clear();
  outputMemory_.clear();
  outputPointers_.clear();
  inputPointers_.resize(segment.inputs.size());
  for (size_t i = 0; i < inputPointers_.size(); ++i) inputPointers_[i] = inputPointer(segment.inputs[i], exe.inputs[i]);
  for (size_t o = 0; o < segment.outputs.size(); ++o) {
    const TensorSpec &spec = exe.outputs[o];
    if (spec.aliasesInput < 0) {
      outputMemory_.push_back(allocateFor(spec, device));
    } else {
      // Written in place where nobody else holds the old contents.
      void *&input = inputPointers_[static_cast<size_t>(spec.aliasesInput)];
      const Leaf &leaf = leafOf(segment.outputs[o].leaf);
      bool inPlace = leaf.buffer->isExclusive() && input == leaf.buffer->storedData();
      if (inPlace) leaf.buffer->dropRowMajorCopy();
      outputMemory_.push_back(inPlace ? leaf.buffer : device::copyOf(input, spec, device));
      input = outputMemory_.back()->storedData();
    }
    outputPointers_.push_back(outputMemory_.back()->storedData());
  }
  placeWindows();
  if (!device.is_cpu()) orderOutputs(device);
  ErrorSlot error;
  if (!segment.program->run(inputPointers_, outputPointers_, error)) throw index_error(indexErrorText(exe, error));
  noteForSave(segment);
  for (size_t o = 0; o < segment.outputs.size(); ++o)
    if (segment.outputs[o].leaf != noValue && exe.outputs[o].storageOrder.empty())
      writeBack(o, segment.outputs[o].leaf);
  writeWindows(segment);
  deliver(segment);
  updateStorages();
}

/// The current stream waits for work of others on the memory that the segment writes.
void Recorder::orderOutputs(Device device) {
  device::Stream &stream = device::currentStream(device);
  for (const Ref<Buffer> &memory : outputMemory_)
    if (device::Block *block = memory->deviceBlock()) device::orderWrite(*block, stream);
}

/// Memory whose address others know (from_blob, DLPack) gets its new value in place, where no saved value needs the
/// old.
void Recorder::writeBack(size_t output, ValueId leafValue) {
  Ref<Buffer> &memory = outputMemory_[output];
  const Ref<Buffer> &own = leafOf(leafValue).buffer;
  if (memory == own || !own->isForeign() || !own->isExclusive()) return;
  if (own->device().is_cpu()) std::memcpy(own->data(), memory->data(), own->bytes());
  else device::copyOnDevice(*memory, 0, *own, {0, own->bytes()});
  memory = own;
}

void Recorder::deliver(const CompiledSegment &segment) {
  for (size_t o = 0; o < segment.outputs.size(); ++o) {
    auto [value, leaf] = segment.outputs[o];
    Ref<Buffer> memory = std::move(outputMemory_[o]);
    if (leaf != noValue) leafOf(leaf).update = memory;
    Buffer *pending = std::exchange(values_[value].buffer, nullptr); // which may end with this
    if (!pending) continue;
    // A host number is of the CPU, also where it takes part in the work of a device.
    const bool hostNumber = pending->device() != memory->device();
    pending->fulfil(hostNumber ? device::toHost(*memory) : std::move(memory));
  }
}

void Recorder::updateStorages() {
  for (const Written &w : written_)
    if (const Ref<Buffer> &update = leafOf(w.leaf).update) w.storage->buffer = update;
}

/// The run failed: state keeps its old contents, values that were to be computed never will be.
void Recorder::lose() {
  for (const Written &w : written_) w.storage->buffer = leafOf(w.leaf).buffer;
  for (const Value &v : values_)
    if (v.buffer && v.node) v.buffer->lose();
  reset();
}

} // namespace tensorjit::trace
