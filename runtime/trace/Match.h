#pragma once
/// The way of an op that was expected: what each recorded op of a steady state costs.
#include "autograd/Meta.h"
#include "trace/Recorder.h"

namespace tensorjit::trace {

/// Whether the operand is this value of the recording, told without a look into the table of leaves: false may also
/// mean that it takes one.
inline bool Recorder::holds(ValueId value, const TensorImpl *t) const {
  if (t->view) return t->viewValue == value && t->viewSegment == segment_ && t->viewVersion == t->storage->version;
  return t->storage->buffer.get() == values_[value].buffer;
}

/// The node that followed last time, where it is one of this op.
inline TraceNode *Recorder::expected(OpId op, size_t operands, size_t attrs) const {
  TraceNode *node = cursor_->firstChild.load(std::memory_order_acquire);
  const bool same = node && node->head == OpKey::headOf(TraceNode::Op, op, modeWord) &&
                    node->counts == OpKey::countsOf(operands, attrs, 0);
  return same ? node : nullptr;
}

template <class... T> inline TensorImpl *Recorder::recordExpected(OpId op, const T *...operands) {
  TraceNode *node = expected(op, sizeof...(T), 0);
  if (!node) return nullptr;
  const ValueId *value = node->operands.data(); // none is absent, as the node is one of this op
  if (!((operands && operands->impl() && holds(*value++, operands->impl())) && ...)) return nullptr;
  cursor_ = node;
  return newTensor(*node, *node->result);
}

inline bool Recorder::recordExpected(OpId op, std::span<const TensorBase *const> operands, const Attrs &attrs,
                                     std::span<TensorBase> results) {
  std::span<const int64_t> words = attrs.words();
  TraceNode *node = expected(op, operands.size(), words.size());
  if (!node || node->isView) return false;
  for (size_t i = 0; i < operands.size(); ++i) {
    const TensorImpl *t = operands[i] ? operands[i]->impl() : nullptr;
    if (!t || node->operands[i] == noValue || !holds(node->operands[i], t)) return false;
  }
  for (size_t i = 0; i < words.size(); ++i)
    if (node->attrWords[i] != words[i]) return false;
  cursor_ = node;
  for (size_t r = 0; r < results.size(); ++r) results[r] = TensorBase::adopt(newTensor(*node, *node->results[r]));
  return true;
}

inline ValueId Recorder::newValue(const TraceNode &node) {
  values_.push_back({nullptr, &node});
  return static_cast<ValueId>(values_.size() - 1);
}

inline TensorImpl *Recorder::newTensor(const TraceNode &node, const ResultSpec &spec) {
  TensorBlock *block = spares_;
  if (!block || block->layout() != spec.layout || values_.size() == values_.capacity()) [[unlikely]]
    return newTensorOfOther(node, spec);
  const auto value = static_cast<ValueId>(values_.size());
  values_.push_back({block->buffer(), &node}); // right after the check: the compiler sees that there is room
  spares_ = block->nextSpare;
  block->renew(value, node.where);
  return block->impl();
}

} // namespace tensorjit::trace
