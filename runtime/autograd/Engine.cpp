#include "autograd/Engine.h"
#include "autograd/PassMemory.h"
#include "autograd/UserFunction.h"
#include "autograd/Vjp.h"
#include "core/Dispatch.h"
#include "core/InPlace.h"
#include "core/Location.h"
#include "core/TensorAccess.h"
#include "tensorjit/autograd.h"
#include "tensorjit/creation.h"
#include "tensorjit/ops/Pointwise.h"
#include "trace/Recorder.h"

#include <algorithm>
#include <unordered_set>

namespace tensorjit::autograd {

namespace {

struct Later {
  bool operator()(const Ref<Node> &a, const Ref<Node> &b) const { return a->sequence < b->sequence; }
};

/// One backward pass. Nodes run from the last recorded to the first, each once, when the gradients of all its results
/// have arrived: every user of a result was recorded after it.
class Pass {
public:
  Pass(bool retainGraph, std::vector<Edge> captures)
      : retain_(retainGraph), captures_(std::move(captures)), captured_(captures_.size()), own_(*memory_) {}

  void send(const Edge &edge, const Tensor &gradient) {
    if (edge.leaf) return add(leafGradient(edge.leaf), gradient);
    if (!edge.node) return;
    auto [number, isNew] = own_.nodes.insert(edge.node.get());
    if (isNew) {
      own_.firstGradient.push_back(static_cast<uint32_t>(own_.gradients.size()));
      own_.gradients.resize(own_.gradients.size() + edge.node->resultTypes.size());
      own_.queue.push_back(edge.node);
      std::push_heap(own_.queue.begin(), own_.queue.end(), Later());
    }
    add(own_.gradients[own_.firstGradient[number] + edge.index], gradient);
  }

  void run() {
    while (!own_.queue.empty()) {
      std::pop_heap(own_.queue.begin(), own_.queue.end(), Later());
      const Ref<Node> node = std::move(own_.queue.back());
      own_.queue.pop_back();
      takeGradients(*node);
      for (uint32_t k = 0; k < own_.taken.size(); ++k) runHooks(node->hooks, k, own_.taken[k]);
      capture(node, own_.taken);
      step(*node, own_.taken);
    }
    own_.taken.clear();
    for (auto &[leaf, gradient] : own_.leaves) runHooks(leaf->hooks, 0, gradient);
  }

  /// Leaves in the order in which their first gradient arrived.
  const std::vector<std::pair<Ref<Meta>, Tensor>> &leaves() const { return own_.leaves; }
  std::vector<Tensor> captured() {
    for (size_t i = 0; i < captures_.size(); ++i)
      for (auto &[leaf, gradient] : own_.leaves)
        if (captures_[i].leaf == leaf) captured_[i] = gradient;
    return std::move(captured_);
  }

private:
  static void add(Tensor &sum, const Tensor &gradient) {
    sum = sum.defined() ? tensorjit::add(sum, gradient) : gradient;
  }

  /// By value, since a hook may remove itself.
  void takeGradients(const Node &node) {
    const auto first =
        own_.gradients.begin() + static_cast<ptrdiff_t>(own_.firstGradient[own_.nodes.insert(&node).first]);
    own_.taken.clear();
    for (auto g = first; g != first + static_cast<ptrdiff_t>(node.resultTypes.size()); ++g)
      own_.taken.push_back(std::exchange(*g, {}));
  }

  static void runHooks(std::vector<Hook> hooks, uint32_t index, Tensor &gradient) {
    for (const Hook &hook : hooks) {
      if (hook.index != index || !gradient.defined()) continue;
      const Tensor replaced = hook.call(gradient);
      if (!replaced.defined()) continue;
      if (replaced.sizes() != gradient.sizes())
        throw shape_error("a hook returned a gradient of sizes " + replaced.sizes().str() + " in place of " +
                          gradient.sizes().str());
      gradient = replaced.dtype() == gradient.dtype() ? replaced : replaced.to(gradient.dtype());
    }
  }

  Tensor &leafGradient(const Ref<Meta> &leaf) {
    auto [number, isNew] = own_.leafIndex.insert(leaf.get());
    if (isNew) own_.leaves.emplace_back(leaf, Tensor());
    return own_.leaves[number].second;
  }

  void capture(const Ref<Node> &node, const std::vector<Tensor> &grads) {
    for (size_t i = 0; i < captures_.size(); ++i)
      if (captures_[i].node == node) captured_[i] = grads[captures_[i].index];
  }

  void step(Node &node, std::span<const Tensor> grads) {
    // Zeros and numbers that the derivative makes go where the gradients are.
    Device device;
    for (const Tensor &g : grads)
      if (g.defined()) device = g.device();
    const trace::DeviceScope scope(device);
    const size_t n = node.edges.size();
    if (node.freed)
      throw grad_error("backward: the graph of this tensor has been freed; pass retain_graph = true to the first "
                       "backward to run it again");
    auto &[needs, result, saved] = own_.step;
    needs.assign(n, 0);
    result.assign(n, {});
    saved.clear();
    bool any = false;
    for (size_t i = 0; i < n; ++i) any |= needs[i] = static_cast<bool>(node.edges[i]);
    if (any && node.user) {
      result = runUserFunction(node, grads);
      for (size_t i = 0; i < n; ++i)
        if (needs[i] && result[i].defined() && result[i].dtype() != node.operandTypes[i].dtype)
          result[i] = result[i].to(node.operandTypes[i].dtype);
    } else if (any) {
      const OpInfo &o = info(node.op);
      if (!o.vjp) throw grad_error(std::string(o.name) + " has no derivative: " + o.noVjpReason);
      for (size_t k = 0; k < node.saved.size(); ++k) {
        const int8_t from = o.saves[k];
        saved.push_back(node.saved[k].unpack(node, from < 0 ? static_cast<uint32_t>(-1 - from) : UINT32_MAX));
      }
      const std::span<const bool> needed(reinterpret_cast<const bool *>(needs.data()), n);
      if (widens(o, node)) vjpInF32(o, node, grads, saved, needed, result);
      else {
        VjpCall call{node.op, node.attrs, grads, saved, node.operandTypes, needed, result};
        o.vjp(call);
      }
    }
    if (!retain_) {
      node.saved.clear();
      node.freed = true;
    }
    for (size_t i = 0; i < n; ++i)
      if (needs[i] && result[i].defined()) send(node.edges[i], result[i]);
  }

  static bool widens(const OpInfo &o, const Node &node) {
    if (o.family == OpFamily::View || o.family == OpFamily::Shape) return false; // theirs move and add elements
    auto half = [](const TensorType &t) { return isHalf(t.dtype); };
    return std::any_of(node.operandTypes.begin(), node.operandTypes.end(), half) ||
           std::any_of(node.resultTypes.begin(), node.resultTypes.end(), half);
  }

  /// A derivative of f16 or bf16 works in f32; each gradient is rounded once.
  static void vjpInF32(const OpInfo &o, const Node &node, std::span<const Tensor> grads, std::span<Tensor> saved,
                       std::span<const bool> needed, std::span<Tensor> result) {
    auto widen = [](const Tensor &t) { return t.defined() && isHalf(t.dtype()) ? t.to(DType::F32) : t; };
    std::vector<Tensor> wideGrads;
    for (const Tensor &g : grads) wideGrads.push_back(widen(g));
    for (Tensor &t : saved) t = widen(t);
    std::vector<TensorType> types = node.operandTypes;
    for (TensorType &t : types) t.dtype = isHalf(t.dtype) ? DType::F32 : t.dtype;
    VjpCall call{node.op, node.attrs, wideGrads, saved, types, needed, result};
    o.vjp(call);
    for (size_t i = 0; i < result.size(); ++i)
      if (result[i].defined()) result[i] = result[i].to(node.operandTypes[i].dtype);
  }

  bool retain_;
  std::vector<Edge> captures_;
  std::vector<Tensor> captured_;
  const PassMemoryUse memory_;
  PassMemory &own_;
};

/// A tensor of the same value on a storage of its own: two leaves may get one gradient, and each may be updated in
/// place.
Tensor ownValue(const Tensor &t, const SourceLocation &loc) {
  const TensorImpl &i = *t.impl();
  if (i.view || i.offset || i.strides != i.sizes.denseStrides()) return dispatch::copyOf(t, loc);
  return makeTensor(i.dtype(), i.sizes, i.storage->buffer);
}

void accumulate(Meta &leaf, const Tensor &gradient, bool createGraph, const SourceLocation &loc) {
  Tensor &sum = gradientOf(leaf);
  if (!sum.defined()) sum = createGraph ? gradient : ownValue(gradient, loc);
  else if (createGraph) sum = add(sum, gradient);
  else sum.add_(gradient);
}

Edge rootEdge(const Tensor &root, const char *what) {
  if (!root.defined()) throw grad_error(std::string(what) + ": the tensor is undefined");
  Edge e = edgeOf(root);
  if (!e) throw grad_error(std::string(what) + ": the tensor does not require grad and no op on it was recorded");
  return e;
}

Tensor rootGradient(const Tensor &root, const Tensor &gradient, const char *what) {
  if (!gradient.defined()) {
    if (root.numel() != 1)
      throw grad_error(std::string(what) + ": a tensor of sizes " + root.sizes().str() +
                       " needs a gradient of the same sizes; only one element can do without");
    return ones_like(root);
  }
  if (gradient.sizes() != root.sizes())
    throw shape_error(std::string(what) + ": the gradient has sizes " + gradient.sizes().str() + ", the tensor " +
                      root.sizes().str());
  return gradient.dtype() == root.dtype() ? gradient : gradient.to(root.dtype());
}

void start(Pass &pass, std::span<const Tensor> outputs, std::span<const Tensor> gradients, const char *what) {
  for (const Tensor &t : outputs) static_cast<void>(rootEdge(t, what)); // the errors first
  for (size_t i = 0; i < outputs.size(); ++i)
    pass.send(rootEdge(outputs[i], what),
              rootGradient(outputs[i], i < gradients.size() ? gradients[i] : Tensor(), what));
}

} // namespace

/// The compiled function that recorded part of the tape below these outputs; the loss itself may have been taken
/// outside of it. Null when there is none.
static std::shared_ptr<trace::CompiledState> originOf(std::span<const Tensor> outputs) {
  if (!trace::anythingRecorded()) return nullptr;
  for (const Tensor &t : outputs) // nearly always found here
    if (Edge e = t.defined() ? edgeOf(t) : Edge(); e.node && e.node->origin) return e.node->origin;
  std::vector<const Node *> open;
  std::unordered_set<const Node *> seen;
  auto visit = [&](const Edge &e) {
    if (e.node && seen.insert(e.node.get()).second) open.push_back(e.node.get());
  };
  for (const Tensor &t : outputs)
    if (t.defined()) visit(edgeOf(t));
  while (!open.empty()) {
    const Node *node = open.back();
    open.pop_back();
    if (node->origin) return node->origin;
    for (const Edge &e : node->edges) visit(e);
  }
  return nullptr;
}

void runBackward(std::span<const Tensor> outputs, std::span<const Tensor> gradients, bool retainGraph, bool createGraph,
                 const SourceLocation &loc) {
  dispatch::CallScope scope(loc);
  auto body = [&] {
    atLine(scope.location(), [&] {
      AutoGradMode mode(createGraph);
      Pass pass(retainGraph, {});
      start(pass, outputs, gradients, "backward");
      pass.run();
      for (auto &[leaf, gradient] : pass.leaves()) accumulate(*leaf, gradient, createGraph, scope.location());
    });
  };
  trace::recordBackward(originOf(outputs), std::ref(body), scope.location());
}

void backward(const std::vector<Tensor> &outputs, const std::vector<Tensor> &gradOutputs,
              std::optional<bool> retainGraph, bool createGraph, SourceLocation loc) {
  runBackward(outputs, gradOutputs, retainGraph.value_or(createGraph), createGraph, loc);
}

std::vector<Tensor> grad(const std::vector<Tensor> &outputs, const std::vector<Tensor> &inputs,
                         const std::vector<Tensor> &gradOutputs, std::optional<bool> retainGraph, bool createGraph,
                         bool allowUnused, SourceLocation loc) {
  dispatch::CallScope scope(loc);
  return atLine(scope.location(), [&] {
    AutoGradMode mode(createGraph);
    std::vector<Edge> captures;
    for (const Tensor &t : inputs) captures.push_back(rootEdge(t, "grad"));
    Pass pass(retainGraph.value_or(createGraph), std::move(captures));
    start(pass, outputs, gradOutputs, "grad");
    pass.run();
    std::vector<Tensor> result = pass.captured();
    for (size_t i = 0; i < result.size(); ++i)
      if (!result[i].defined() && !allowUnused)
        throw grad_error("grad: no output depends on input " + std::to_string(i) +
                         "; allow_unused leaves it undefined");
    return result;
  });
}

} // namespace tensorjit::autograd
