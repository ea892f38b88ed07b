#include "autograd/Node.h"
#include "core/TensorAccess.h"
#include "core/ViewChain.h"
#include "tensorjit/grad_mode.h"
#include "trace/Recorder.h"

#include <atomic>

namespace tensorjit::autograd {

Meta::~Meta() = default;

Edge edgeOf(const TensorBase &t) {
  if (!t.impl()->autograd) return {};
  Meta &m = *t.impl()->autograd;
  if (m.requiresGrad) return {nullptr, 0, t.impl()->autograd};
  if (m.base && m.base->version != m.baseVersion) {
    AutoGradMode on(true);
    TensorBase base = baseOf(t);
    base.impl()->autograd = m.base;
    TensorBase again = applyView(base, t.impl()->view.get());
    m.producer = again.impl()->autograd ? again.impl()->autograd->producer : Edge{};
    m.baseVersion = m.base->version;
  }
  return m.producer;
}

SavedTensor::SavedTensor(const TensorBase &t, bool isResult) {
  const TensorImpl &i = *t.impl();
  storage_ = i.storage;
  buffer_ = i.storage->buffer;
  sizes_ = i.sizes;
  strides_ = i.strides;
  offset_ = i.offset;
  view_ = i.view;
  if (!isResult) edge_ = edgeOf(t);
}

TensorBase SavedTensor::unpack(Node &owner, uint32_t resultIndex) const {
  Ref<Storage> storage = storage_;
  if (storage->buffer != buffer_) storage = makeRef<Storage>(buffer_, storage_->dtype); // updated in place since
  auto *t = new TensorImpl;
  t->storage = std::move(storage);
  t->sizes = sizes_;
  t->strides = strides_;
  t->offset = offset_;
  t->view = view_;
  TensorBase result(t);
  if (!GradMode::is_enabled()) return result;
  if (edge_.leaf) t->autograd = edge_.leaf;
  else if (edge_.node) {
    t->autograd = makeRef<Meta>();
    t->autograd->producer = edge_;
  } else if (resultIndex != UINT32_MAX) {
    t->autograd = makeRef<Meta>();
    t->autograd->producer = {Ref<Node>(&owner), resultIndex, nullptr};
  }
  return result;
}

uint64_t nextSequence() {
  static std::atomic<uint64_t> counter{0};
  return counter.fetch_add(1, std::memory_order_relaxed);
}

void record(OpId op, std::span<const TensorBase *const> operands, const Attrs &attrs, std::span<TensorBase> results,
            const SourceLocation &loc) {
  const OpInfo &o = info(op);
  const Ref<Node> node = Node::make();
  node->sequence = nextSequence();
  node->op = op;
  node->attrs = attrs;
  node->location = loc;
  if (auto *recorder = trace::Recorder::current()) node->origin = recorder->origin();
  node->edges.reserve(operands.size());
  node->operandTypes.reserve(operands.size());
  for (const TensorBase *t : operands) {
    const bool present = t && t->defined();
    node->edges.push_back(present && isFloat(t->dtype()) ? edgeOf(*t) : Edge{});
    node->operandTypes.push_back(present ? typeOf(*t) : TensorType{});
  }
  node->resultTypes.reserve(results.size());
  for (TensorBase &r : results) node->resultTypes.push_back(typeOf(r));
  node->saved.reserve(o.saves.size());
  for (int8_t s : o.saves) {
    if (s < 0) {
      node->saved.emplace_back(results[static_cast<size_t>(-1 - s)], true);
      continue;
    }
    const size_t i = static_cast<size_t>(s);
    const bool present = i < operands.size() && operands[i] && operands[i]->defined();
    if (present) node->saved.emplace_back(*operands[i], false);
    else node->saved.emplace_back();
  }
  for (size_t k = 0; k < results.size(); ++k) {
    if (!isFloat(results[k].dtype())) continue;
    auto meta = makeRef<Meta>();
    meta->producer = {node, static_cast<uint32_t>(k), nullptr};
    if (o.isView && results[k].impl()->storage == operands[0]->impl()->storage) {
      const Ref<Meta> &of = operands[0]->impl()->autograd;
      meta->base = of->base ? of->base : of;
      meta->baseVersion = meta->base->version;
      meta->viewsLeaf = of->requiresGrad || of->viewsLeaf;
    }
    results[k].impl()->autograd = std::move(meta);
  }
}

} // namespace tensorjit::autograd
