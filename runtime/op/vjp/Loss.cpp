#include "op/vjp/Gradients.h"
#include "tensorjit/ops.h"

namespace tensorjit {

// softmax_grad is y * (g - sum(g * y)); linear in g, and symmetric as a map of g.
void vjpSoftmaxGrad(VjpCall &call) {
  const Tensor &gg = call.grads[0], &g = call.saved[0], &y = call.saved[1];
  const int64_t dim = AttrReader(call.attrs).integer();
  if (call.needs[0]) call.result[0] = sumTo(softmax_grad(gg, y, dim), call.operandTypes[0]);
  if (!call.needs[1]) return;
  const Tensor direct = mul(gg, sub(g, sum(mul(g, y), dim, true)));
  call.result[1] = sumTo(sub(direct, mul(g, sum(mul(gg, y), dim, true))), call.operandTypes[1]);
}

// log_softmax_grad is g - exp(y) * sum(g).
void vjpLogSoftmaxGrad(VjpCall &call) {
  const Tensor &gg = call.grads[0], &g = call.saved[0], &y = call.saved[1];
  const int64_t dim = AttrReader(call.attrs).integer();
  const Tensor p = exp(y);
  if (call.needs[0]) call.result[0] = sumTo(sub(gg, sum(mul(gg, p), dim, true)), call.operandTypes[0]);
  if (call.needs[1]) call.result[1] = sumTo(neg(mul(mul(gg, p), sum(g, dim, true))), call.operandTypes[1]);
}

void vjpNllLoss(VjpCall &call) {
  if (!call.needs[0]) return;
  AttrReader attrs(call.attrs);
  const auto reduction = static_cast<Reduction>(attrs.integer());
  const int64_t ignored = attrs.integer();
  const Shape &sizes = call.operandTypes[0].sizes;
  const Tensor target = unsqueeze(call.saved[0], 1), kept = ne(target, ignored);
  Tensor g = reduction == Reduction::None ? unsqueeze(call.grads[0], 1) : call.grads[0];
  if (reduction == Reduction::Mean) g = div(g, cast(sum(kept), g.dtype()));
  const Tensor hit = logical_and(eq(iota({1, sizes[1]}, 1, target.dtype()), target), kept);
  call.result[0] = sumTo(where(hit, neg(g), 0), call.operandTypes[0]);
}

} // namespace tensorjit
