#include "autograd/UserFunction.h"
#include "core/Dispatch.h"
#include "core/TensorAccess.h"
#include "op/vjp/Gradients.h"
#include "trace/Recorder.h"

#include <algorithm>

namespace tensorjit::autograd {

static bool takesPart(const Tensor &t) { return t.defined() && isFloat(t.dtype()) && t.requires_grad(); }

void FunctionCall::prepare() {
  for (const Tensor &t : arguments) context->needsInputGrad_.push_back(takesPart(t));
}

void FunctionCall::record(variable_list &outputs, Backward backward, const SourceLocation &loc) {
  const std::vector<bool> &needs = context->needsInputGrad_;
  if (!GradMode::is_enabled() || std::find(needs.begin(), needs.end(), true) == needs.end()) return;
  const dispatch::CallScope scope(loc);
  const Ref<Node> node = Node::make();
  node->sequence = nextSequence();
  node->location = scope.location();
  node->user.reset(new UserFunction{context, std::move(backward)});
  if (auto *recorder = trace::Recorder::current()) node->origin = recorder->origin();
  for (const Tensor &t : arguments) {
    node->edges.push_back(takesPart(t) ? edgeOf(t) : Edge{});
    node->operandTypes.push_back(t.defined() ? typeOf(t) : TensorType{});
  }
  for (Tensor &y : outputs) {
    // An argument that comes back as it is gets a place of its own on the tape.
    for (const Tensor &t : arguments)
      if (t.defined() && y.defined() && y.is_same(t)) y = t.detach();
    node->resultTypes.push_back(y.defined() ? typeOf(y) : TensorType{});
  }
  // Results are saved without the way back to this node, which would never be freed.
  for (const Tensor &t : context->toSave_) {
    const bool isResult = std::any_of(outputs.begin(), outputs.end(), [&](const Tensor &y) { return y.is_same(t); });
    node->saved.push_back(t.defined() ? SavedTensor(t, isResult) : SavedTensor());
    node->savedResults.push_back(UINT32_MAX);
    for (size_t k = 0; k < outputs.size(); ++k)
      if (isResult && outputs[k].is_same(t)) node->savedResults.back() = static_cast<uint32_t>(k);
  }
  context->toSave_.clear();
  for (size_t k = 0; k < outputs.size(); ++k) {
    if (!outputs[k].defined() || !isFloat(outputs[k].dtype())) continue;
    auto meta = makeRef<Meta>();
    meta->producer = {node, static_cast<uint32_t>(k), nullptr};
    outputs[k].impl()->autograd = std::move(meta);
  }
}

std::vector<Tensor> runUserFunction(Node &node, std::span<const Tensor> grads) {
  variable_list given;
  for (size_t k = 0; k < grads.size(); ++k)
    given.push_back(grads[k].defined() ? grads[k] : zerosOf(node.resultTypes[k]));
  AutogradContext &context = *node.user->context;
  context.saved_.clear();
  for (size_t i = 0; i < node.saved.size(); ++i)
    context.saved_.push_back(node.saved[i].unpack(node, node.savedResults[i]));
  variable_list result = node.user->backward(&context, std::move(given));
  context.saved_.clear();
  if (result.size() != node.edges.size())
    throw grad_error("a function's backward returned " + std::to_string(result.size()) + " gradients for " +
                     std::to_string(node.edges.size()) + " arguments");
  for (size_t i = 0; i < result.size(); ++i) {
    if (!node.edges[i] || !result[i].defined()) continue;
    if (result[i].sizes() != node.operandTypes[i].sizes)
      throw shape_error("a function's backward returned a gradient of sizes " + result[i].sizes().str() +
                        " for argument " + std::to_string(i) + " of sizes " + node.operandTypes[i].sizes.str());
  }
  return result;
}

} // namespace tensorjit::autograd
