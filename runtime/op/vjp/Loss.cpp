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

namespace {
struct LossAttrs {
  Reduction reduction;
  int64_t ignored;
  double smoothing;
};
} // namespace

static LossAttrs readLoss(const Attrs &words) {
  AttrReader attrs(words);
  const auto reduction = static_cast<Reduction>(attrs.integer());
  const int64_t ignored = attrs.integer();
  return {reduction, ignored, attrs.number()};
}

/// Rows of probabilities, from the saved log of each row's sum.
static Tensor probabilities(const Tensor &x, const Tensor &logsumexp) { return exp(sub(x, unsqueeze(logsumexp, 1))); }

// Both results may have a gradient: the second one is an operand of the first derivative.
void vjpCrossEntropy(VjpCall &call) {
  if (!call.needs[0]) return;
  const LossAttrs a = readLoss(call.attrs);
  const Tensor &x = call.saved[0], &logsumexp = call.saved[1], &target = call.saved[2];
  Tensor result;
  if (call.grads[0].defined())
    result = cross_entropy_grad(call.grads[0], x, logsumexp, target, a.reduction, a.ignored, a.smoothing);
  if (call.grads.size() > 1 && call.grads[1].defined()) {
    const Tensor direct = mul(unsqueeze(call.grads[1], 1), probabilities(x, logsumexp));
    result = result.defined() ? add(result, direct) : direct;
  }
  call.result[0] = sumTo(result, call.operandTypes[0]);
}

// cross_entropy_grad is (p - q) * scale * g for each row, with p = exp(x - logsumexp), q the target distribution and
// scale 0 for ignored rows, else 1 or one over the rows that count.
void vjpCrossEntropyGrad(VjpCall &call) {
  const LossAttrs a = readLoss(call.attrs);
  const Tensor &gg = call.grads[0], &g = call.saved[0], &x = call.saved[1];
  const Tensor target = unsqueeze(call.saved[3], 1), kept = ne(target, a.ignored);
  const Tensor p = probabilities(x, call.saved[2]);
  Tensor scale = cast(kept, x.dtype());
  if (a.reduction == Reduction::Mean) scale = div(scale, cast(sum(kept), x.dtype()));
  if (call.needs[0]) {
    const int64_t classes = x.size(1);
    const Tensor hit = cast(eq(iota({1, classes}, 1, target.dtype()), target), x.dtype());
    const Tensor q = add(mul(hit, 1 - a.smoothing), a.smoothing / static_cast<double>(classes));
    const Tensor rows = sum(mul(mul(sub(p, q), gg), scale), 1);
    call.result[0] = sumTo(a.reduction == Reduction::None ? rows : sum(rows), call.operandTypes[0]);
  }
  const Tensor direct = mul(mul(p, gg), mul(scale, a.reduction == Reduction::None ? unsqueeze(g, 1) : g));
  if (call.needs[1]) call.result[1] = sumTo(direct, call.operandTypes[1]);
  if (call.needs[2]) call.result[2] = sumTo(neg(sum(direct, 1)), call.operandTypes[2]);
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
