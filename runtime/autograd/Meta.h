#pragma once
#include "core/ObjectPool.h"
#include "core/Ref.h"
#include "tensorjit/tensor_base.h"

#include <functional>
#include <memory>
#include <vector>

namespace tensorjit::autograd {

struct Meta;
struct Node;

/// Runs on the gradient of one result of an op, or of a leaf.
struct Hook {
  size_t number;
  uint32_t index; ///< of the result
  std::function<Tensor(const Tensor &)> call;
};

/// Where the gradient of a tensor goes: to result `index` of an op on the tape, or to a leaf. Empty: nowhere.
struct Edge {
  Ref<Node> node;
  uint32_t index = 0;
  Ref<Meta> leaf;
  explicit operator bool() const { return node || leaf; }
};

/// Of a `Tensor` whose class is not known here.
struct DeleteTensor {
  void operator()(Tensor *t) const;
};

/// A tensor's place on the tape. Kept apart from the tensor because the tape outlives handles, and because views find
/// the state of their base through it.
struct Meta : RefCounted<Meta>, Pooled<Meta> {
  bool requiresGrad = false;                  ///< a leaf that collects its gradient
  Edge producer;                              ///< non-leaf: what made the current value
  std::unique_ptr<Tensor, DeleteTensor> grad; ///< null: none has arrived; see `gradientOf`
  std::vector<Hook> hooks;                    ///< of a leaf; those of a result hang on its node
  uint32_t version = 0;                       ///< of a base: counts in-place updates seen by the tape
  Ref<Meta> base;                             ///< of a view: its base tensor's state
  uint32_t baseVersion = 0;                   ///< of a view: the base's version that `producer` belongs to
  bool viewsLeaf = false;                     ///< a view of a leaf, be that leaf a view itself
  ~Meta();
};

/// The edge of `t` as things stand, empty when no gradient flows to it. A view whose base was updated in place since
/// gets its new place on the tape here.
Edge edgeOf(const TensorBase &t);

/// The gradient that a leaf has collected, to be read and written.
Tensor &gradientOf(Meta &leaf);

/// Whether ops on `t` are put on the tape while grad mode is on.
inline bool flows(const TensorImpl &t);

} // namespace tensorjit::autograd

#include "core/TensorImpl.h"

inline bool tensorjit::autograd::flows(const TensorImpl &t) {
  const Meta *m = t.autograd.get();
  if (!m) return false;
  if (m->requiresGrad || m->producer) return true;
  return m->base && m->base->version != m->baseVersion && m->base->producer;
}

/// Here because it needs to know how `Meta` is destroyed.
inline tensorjit::TensorImpl::TensorImpl(TensorBlock *in, Ref<Storage> st, const Shape &n, const Shape &s) noexcept
    : RefCounted(1), storage(std::move(st)), sizes(n), strides(s), block(in) {}
