// Losses that compare a prediction with a target element by element.
#include "core/Dispatch.h"
#include "core/InF32.h"
#include "op/Adapt.h"
#include "tensorjit/ops.h"

namespace tensorjit {

using dispatch::anyHalf;
using dispatch::CallScope;
using dispatch::fail;
using dispatch::meet;
using dispatch::narrowed;
using dispatch::widened;

Tensor reduced_loss(const Tensor &losses, Reduction reduction) {
  switch (reduction) {
  case Reduction::None: return losses;
  case Reduction::Sum: return sum(losses);
  default: return mean(losses);
  }
}

static void requireEqualSizes(const CallScope &scope, const char *op, const Tensor &x, const Tensor &target) {
  dispatch::requireDefined(scope, op, "x", x);
  dispatch::requireDefined(scope, op, "target", target);
  if (x.sizes() != target.sizes())
    fail<shape_error>(scope, std::string(op) + ": a target of sizes " + x.sizes().str() + " expected, got " +
                                 target.sizes().str());
}

Tensor smooth_l1_loss(const Tensor &x, const Tensor &target, Reduction reduction, double beta, SourceLocation loc) {
  const CallScope scope(loc);
  if (anyHalf(x, target))
    return narrowed(smooth_l1_loss(widened(x, scope), widened(target, scope), reduction, beta, loc),
                    meet(scope, "smooth_l1_loss", x, target), scope);
  if (!(beta >= 0)) fail<value_error>(scope, "smooth_l1_loss: beta must not be negative, got " + std::to_string(beta));
  const Tensor d = abs(sub(x, target, loc), loc);
  if (beta == 0) return reduced_loss(d, reduction);
  return reduced_loss(where(lt(d, beta), div(square(d), 2 * beta), sub(d, beta / 2)), reduction);
}

Tensor huber_loss(const Tensor &x, const Tensor &target, Reduction reduction, double delta, SourceLocation loc) {
  const CallScope scope(loc);
  if (anyHalf(x, target))
    return narrowed(huber_loss(widened(x, scope), widened(target, scope), reduction, delta, loc),
                    meet(scope, "huber_loss", x, target), scope);
  if (!(delta > 0)) fail<value_error>(scope, "huber_loss: delta must be above 0, got " + std::to_string(delta));
  const Tensor d = abs(sub(x, target, loc), loc);
  return reduced_loss(where(le(d, delta), mul(square(d), 0.5), mul(sub(d, delta / 2), delta)), reduction);
}

Tensor binary_cross_entropy_with_logits(const Tensor &x, const Tensor &target, const Tensor &weight,
                                        const Tensor &posWeight, Reduction reduction, SourceLocation loc) {
  const CallScope scope(loc);
  if (anyHalf(x, target, weight, posWeight))
    return narrowed(binary_cross_entropy_with_logits(widened(x, scope), widened(target, scope), widened(weight, scope),
                                                     widened(posWeight, scope), reduction, loc),
                    meet(scope, "binary_cross_entropy_with_logits", x, target, weight, posWeight), scope);
  requireEqualSizes(scope, "binary_cross_entropy_with_logits", x, target);
  Tensor soft = add(log1p(exp(neg(abs(x)))), maximum(neg(x), 0));
  if (posWeight.defined()) soft = mul(add(mul(sub(posWeight, 1), target), 1), soft);
  Tensor losses = add(mul(sub(1, target), x), soft);
  if (weight.defined()) losses = mul(losses, weight);
  return reduced_loss(losses, reduction);
}

Tensor binary_cross_entropy(const Tensor &x, const Tensor &target, const Tensor &weight, Reduction reduction,
                            SourceLocation loc) {
  const CallScope scope(loc);
  if (anyHalf(x, target, weight))
    return narrowed(
        binary_cross_entropy(widened(x, scope), widened(target, scope), widened(weight, scope), reduction, loc),
        meet(scope, "binary_cross_entropy", x, target, weight), scope);
  requireEqualSizes(scope, "binary_cross_entropy", x, target);
  const Tensor right = maximum(log(x), -100), wrong = maximum(log(sub(1, x)), -100);
  Tensor losses = neg(add(mul(target, right), mul(sub(1, target), wrong)));
  if (weight.defined()) losses = mul(losses, weight);
  return reduced_loss(losses, reduction);
}

Tensor kl_div(const Tensor &x, const Tensor &target, Reduction reduction, bool logTarget, SourceLocation loc) {
  const CallScope scope(loc);
  if (anyHalf(x, target))
    return narrowed(kl_div(widened(x, scope), widened(target, scope), reduction, logTarget, loc),
                    meet(scope, "kl_div", x, target), scope);
  if (logTarget) return reduced_loss(mul(exp(target), sub(target, x)), reduction);
  return reduced_loss(sub(xlogy(target, target), mul(target, x)), reduction);
}

} // namespace tensorjit
