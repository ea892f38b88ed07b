#include "trace/Recorder.h"
#include "autograd/Meta.h"
#include "core/InPlace.h"
#include "core/TensorAccess.h"
#include "core/ViewChain.h"
#include "device/EagerOp.h"
#include "eager/Run.h"
#include "op/CreationIds.h"
#include "op/ShapeIds.h"
#include "tensorjit/grad_mode.h"
#include "trace/CompiledState.h"
#include "trace/Lines.h"
#include "trace/Match.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>

namespace tensorjit::trace {

constinit thread_local uint32_t modeWord = GradEnabled;
constinit thread_local Recorder *Recorder::current_ = nullptr;
constinit thread_local Recorder *Recorder::active_ = nullptr;

namespace {

/// A segment longer than this is not worth compiling: a host loop that writes an op for each of many rows.
constexpr uint32_t maxSegmentOps = 4096;
constexpr size_t maxOperands = 16;

Attrs sizesOf(const TensorBase &t) {
  Attrs attrs;
  attrs.addInts(t.sizes());
  return attrs;
}

} // namespace

void Recorder::record(OpId op, std::span<const TensorBase *const> operands, const Attrs &attrs,
                      std::span<TensorBase> results, const SourceLocation &loc) {
  if (operands.size() > maxOperands) throw Error(std::string(info(op).name) + ": too many operands to record");
  useDevice(device::deviceOf(op, operands), loc);
  try {
    ValueId ids[maxOperands];
    for (size_t i = 0; i < operands.size(); ++i) {
      TensorImpl *t = operands[i] ? operands[i]->impl() : nullptr;
      const Buffer *own = t && !t->view ? t->storage->buffer.get() : nullptr;
      if (own && own->recorder() == this) [[likely]]
        ids[i] = own->value();
      else ids[i] = t ? valueOf(*t, loc) : noValue;
    }
    const TraceNode &node =
        *advance({TraceNode::Op, op, modeWord, {ids, operands.size()}, attrs.words(), newLeaves()}, attrs, loc);
    TensorBase *result = results.data();
    for (const ResultSpec *spec : node.results) *result++ = TensorBase::adopt(newTensor(node, *spec));
  } catch (const Overflow &why) {
    overflow(why, loc);
    eager::run(op, operands, attrs, results, loc);
  } catch (...) {
    unbindNewLeaves();
    throw;
  }
}

TensorBase Recorder::scalar(Scalar value, DType dtype, bool runtime, const SourceLocation &loc) {
  Attrs attrs;
  attrs.addInts({});
  attrs.addScalar(value);
  attrs.addDType(dtype);
  const ResultSpec result{dtype, {}, {}, itemSize(dtype), defaultDevice(), 0};
  if (!result.device.is_cpu()) useDevice(result.device, loc);
  TraceNode *node = matchScalar(attrs.words(), result, runtime);
  if (!node) {
    try {
      node = growScalar(attrs.words(), result, runtime, loc);
    } catch (const Overflow &why) {
      overflow(why, loc);
      return eager::scalarTensor(value, dtype);
    }
  }
  cursor_ = node;
  if (node->kind == TraceNode::Argument) {
    // The number is rounded here just as the `full` of a constant is.
    TensorBase rounded = eager::scalarTensor(value, dtype);
    int64_t bits = 0;
    std::memcpy(&bits, rounded.impl()->storage->buffer->data(), itemSize(dtype));
    arguments_.push_back({bits, static_cast<ValueId>(values_.size())});
  }
  return TensorBase::adopt(newTensor(*node, *node->result));
}

/// The constant of this very value, else the argument; null where there is neither.
TraceNode *Recorder::matchScalar(std::span<const int64_t> words, const ResultSpec &result, bool runtime) {
  TraceNode *argument = nullptr;
  for (TraceNode *n = cursor_->firstChild.load(std::memory_order_acquire); n;
       n = n->nextSibling.load(std::memory_order_acquire)) {
    if ((n->kind != TraceNode::Scalar && n->kind != TraceNode::Argument) || n->result->device != result.device)
      continue;
    if (n->kind == TraceNode::Scalar && !runtime && std::equal(words.begin(), words.end(), n->attrWords.begin()))
      return n;
    if (n->kind == TraceNode::Argument && n->result->dtype == result.dtype) argument = n;
  }
  return argument;
}

/// Whether the number varies is told from the numbers of other calls, so none may be added meanwhile.
TraceNode *Recorder::growScalar(std::span<const int64_t> words, const ResultSpec &result, bool runtime,
                                const SourceLocation &loc) {
  std::lock_guard lock(tree_->mutex());
  if (TraceNode *node = matchScalar(words, result, runtime)) return node; // another thread has gone this way
  bool varies = cursor_->belowVarying;
  for (TraceNode *n = cursor_->firstChild.load(std::memory_order_acquire); n && !varies;
       n = n->nextSibling.load(std::memory_order_acquire))
    varies = n->kind == TraceNode::Scalar && n->result->dtype == result.dtype && n->result->device == result.device;
  const auto kind = varies || runtime ? TraceNode::Argument : TraceNode::Scalar;
  return link({kind, opid::Full, 0, {}, words, {}}, {&result, 1}, varies && !runtime, loc);
}

void Recorder::recordView(OpId op, const TensorBase &operand, const Attrs &attrs, const TensorBase &result,
                          const SourceLocation &loc) {
  useDevice(operand.impl()->device(), loc);
  try {
    ValueId value = recordStep(op, valueOf(*operand.impl(), loc), attrs, loc);
    TensorImpl &view = *result.impl();
    view.viewSegment = segment_;
    view.viewValue = value;
    view.viewVersion = view.storage->version;
  } catch (const Overflow &why) {
    overflow(why, loc);
  } catch (...) {
    unbindNewLeaves();
    throw;
  }
}

ValueId Recorder::recordStep(OpId op, ValueId operand, const Attrs &attrs, const SourceLocation &loc) {
  const TraceNode *node = advance({TraceNode::Op, op, modeWord, {&operand, 1}, attrs.words(), newLeaves()}, attrs, loc);
  return newValue(*node);
}

void Recorder::assign(const TensorBase &target, const TensorBase &value, const SourceLocation &loc) {
  Storage &storage = *target.impl()->storage;
  if (!target.impl()->view) return assignBase(storage, value, loc);
  NoGradGuard noGrad;
  // A value from outside is copied, so that what the window receives is a value of the recording (PartialWrites.cpp).
  const TensorImpl &from = *value.impl();
  const bool outside = !isPending(value) && !(from.view && from.viewSegment == segment_);
  TensorBase own = outside ? dispatch::copyOf(value, loc) : value;
  assignBase(storage, writeThrough(baseOf(target), target.impl()->view.get(), own), loc);
}

void Recorder::assignBase(Storage &storage, const TensorBase &value, const SourceLocation &loc) {
  useDevice(value.impl()->device(), loc);
  try {
    ValueId v = valueOf(*value.impl(), loc);
    if (isWindow(v)) v = recordStep(opid::Reshape, v, sizesOf(value), loc); // a storage holds whole values only
    noteWrite(storage, v, value.sizes(), loc);
    storage.buffer = bufferOf(v);
  } catch (const Overflow &why) {
    overflow(why, loc);
    storage.buffer = (value.impl()->view ? dispatch::copyOf(value, loc) : value).impl()->storage->buffer;
  }
  ++storage.version;
}

/// A storage from outside takes the value: its memory receives it at the end of the segment.
void Recorder::noteWrite(Storage &storage, ValueId value, const Shape &sizes, const SourceLocation &loc) {
  const uint32_t known = writtenIndex_.find(&storage);
  const bool again = known != PointerIndex::none;
  if (!again && storage.buffer->isPending()) return;
  ValueId leaf = again ? written_[known].leaf : baseValue(*storage.buffer, storage.dtype, sizes, false);
  std::array<ValueId, 2> ids{leaf, value};
  advance({TraceNode::Assign, OpId{}, 0, ids, {}, newLeaves()}, {}, loc);
  if (again) {
    written_[known].value = value;
  } else {
    writtenIndex_.insert(&storage);
    written_.push_back({Ref<Storage>(&storage), leaf, value});
  }
}

inline TraceNode *Recorder::advance(const OpKey &key, const Attrs &attrs, const SourceLocation &loc) {
  TraceNode *node = cursor_->firstChild.load(std::memory_order_acquire);
  while (node && !node->matches(key)) node = node->nextSibling.load(std::memory_order_acquire);
  if (!node) [[unlikely]]
    node = grow(key, attrs, loc);
  cursor_ = node;
  if (!newLeaves_.empty()) newLeaves_.clear();
  return node;
}

TraceNode *Recorder::grow(const OpKey &key, const Attrs &attrs, const SourceLocation &loc) {
  bool isOp = (key.head & 0xff) == TraceNode::Op;
  const std::vector<ResultSpec> results = isOp ? inferResults(key, attrs) : std::vector<ResultSpec>{};
  std::lock_guard lock(tree_->mutex());
  for (TraceNode *n = cursor_->firstChild.load(std::memory_order_acquire); n;
       n = n->nextSibling.load(std::memory_order_acquire))
    if (n->matches(key)) return n; // another thread has gone this way
  return link(key, results, false, loc);
}

/// With the tree's mutex held.
TraceNode *Recorder::link(const OpKey &key, std::span<const ResultSpec> results, bool varies,
                          const SourceLocation &loc) {
  if (cursor_->depth >= maxSegmentOps) throw Overflow{"more ops between two graph breaks than are worth compiling"};
  if (!tree_->makeRoom(*cursor_)) throw Overflow{"what is kept of the calls has reached its limit"};
  auto owned = std::make_unique<TraceNode>();
  TraceNode &node = *owned;
  node.setKey(key);
  std::vector<const ResultSpec *> shared;
  for (const ResultSpec &spec : results) shared.push_back(tree_->share(spec));
  node.results.assign(shared);
  node.result = shared.size() == 1 ? shared[0] : nullptr;
  node.firstValue = static_cast<ValueId>(values_.size() - newLeaves_.size());
  node.depth = cursor_->depth + 1;
  node.belowVarying = cursor_->belowVarying || varies;
  node.device = cursor_->device;
  const bool hostNumber = !node.results.empty() &&
                          (node.kind == TraceNode::Scalar || node.kind == TraceNode::Argument) &&
                          results[0].device.is_cpu();
  if (!hostNumber) node.device = cursor_->device.value_or(entered_);
  node.checks = cursor_->checks || (node.kind == TraceNode::Op && info(node.op).checksIndex);
  node.isView = node.kind == TraceNode::Op && info(node.op).isView;
  node.where = &lineOf(loc);
  tree_->link(cursor_, std::move(owned));
  return &node;
}

std::vector<ResultSpec> Recorder::inferResults(const OpKey &key, const Attrs &attrs) const {
  size_t n = key.numOperands();
  // An absent operand stands at the end: the shape rules see only those that are there.
  while (n > 0 && key.operands[n - 1] == noValue) --n;
  std::vector<TensorType> operands;
  for (size_t i = 0; i < n; ++i)
    operands.push_back(key.operands[i] == noValue ? TensorType{} : typeOfValue(key.operands[i]));
  const OpInfo &op = info(static_cast<OpId>(key.head >> 16 & 0xffff));
  std::vector<TensorType> types(op.numResults);
  op.infer(operands, attrs, types);
  std::vector<ResultSpec> results;
  const Device device = cursor_->device.value_or(entered_);
  for (TensorType &t : types) results.push_back({t.dtype, t.sizes, t.sizes.denseStrides(), byteSize(t), device, 0});
  return results;
}

TensorType Recorder::typeOfValue(ValueId value) const {
  if (values_[value].node) return {specOf(value).dtype, specOf(value).sizes};
  auto leaf =
      std::lower_bound(leaves_.begin(), leaves_.end(), value, [](const Leaf &l, ValueId v) { return l.value < v; });
  return {leaf->dtype, leaf->sizes};
}

const ResultSpec &Recorder::specOf(ValueId value) const {
  const TraceNode &node = *values_[value].node;
  return *node.results[value - node.firstResult()];
}

Recorder::~Recorder() {
  while (spares_) TensorBlock::discard(std::exchange(spares_, spares_->nextSpare));
}

TensorImpl *Recorder::newTensorOfOther(const TraceNode &node, const ResultSpec &spec) {
  const auto value = static_cast<ValueId>(values_.size());
  TensorBlock *block = spares_;
  if (block) {
    spares_ = block->nextSpare;
    block->renewAs(spec, value, node.where);
  } else {
    block = TensorBlock::pending(spec, this, value, node.where);
  }
  values_.push_back({block->buffer(), &node});
  return block->impl();
}

/// The value as a storage holds it. A value that is a leaf is shared, as between two tensors outside.
Ref<Buffer> Recorder::bufferOf(ValueId value) {
  Value &v = values_[value];
  if (!v.buffer) v.buffer = new Buffer(this, value, specOf(value).bytes, v.node->where, specOf(value).device);
  return Ref<Buffer>(v.buffer);
}

/// A segment runs on one device.
void Recorder::enterDevice(Device device, const SourceLocation &loc) {
  entered_ = device;
  if (!cursor_->device) return;
  flush();
  startSegment("another device goes on", fileOf(loc), loc.line());
  state_->countBreak(*cursor_);
}

void Recorder::overflow(const Overflow &why, const SourceLocation &loc) {
  unbindNewLeaves();
  flushEagerly(why.reason);
  startSegment(why.reason, fileOf(loc), loc.line());
  state_->countBreak(*cursor_);
  current_ = nullptr; // until the end of the call
}

} // namespace tensorjit::trace
