#include "core/Dispatch.h"
#include "core/InF32.h"
#include "core/InPlace.h"
#include "core/NumberText.h"
#include "tensorjit/autograd.h"
#include "tensorjit/creation.h"
#include "tensorjit/nn/clip_grad.h"
#include "tensorjit/ops.h"

#include <cmath>

namespace tensorjit::nn::utils {

Tensor clip_grad_norm_(const std::vector<Tensor> &parameters, double maxNorm, bool errorIfNonfinite,
                       SourceLocation loc) {
  const dispatch::CallScope scope(loc);
  if (!(maxNorm >= 0))
    dispatch::fail<value_error>(scope, "clip_grad_norm_: max_norm must not be negative, got " + numberText(maxNorm));
  NoGradGuard guard;
  std::vector<Tensor> grads;
  for (const Tensor &p : parameters)
    if (p.grad().defined()) grads.push_back(p.grad());
  if (grads.empty()) return zeros({}, DType::F32, loc);
  Tensor total;
  for (const Tensor &g : grads) {
    const Tensor squares = sum(square(dispatch::widened(g, scope), loc), {}, false, std::nullopt, loc);
    total = total.defined() ? add(total, squares, loc) : squares;
  }
  const Tensor norm = sqrt(total, loc);
  if (errorIfNonfinite && !std::isfinite(norm.item<double>(loc)))
    dispatch::fail<value_error>(scope, "clip_grad_norm_: the norm of the gradients is " + numberText(norm.item(loc)));
  const Tensor scale = clamp_max(div(maxNorm, add(norm, 1e-6, loc), loc), 1.0, loc);
  for (Tensor &g : grads) {
    if (!isHalf(g.dtype())) g.mul_(scale, loc);
    else
      dispatch::replace(g, dispatch::narrowed(mul(dispatch::widened(g, scope), scale, loc), g.dtype(), scope),
                        "clip_grad_norm_", loc);
  }
  return norm;
}

void clip_grad_value_(const std::vector<Tensor> &parameters, double clipValue, SourceLocation loc) {
  const dispatch::CallScope scope(loc);
  if (!(clipValue >= 0))
    dispatch::fail<value_error>(scope,
                                "clip_grad_value_: clip_value must not be negative, got " + numberText(clipValue));
  NoGradGuard guard;
  for (const Tensor &p : parameters)
    if (Tensor g = p.grad(); g.defined()) g.clamp_(-clipValue, clipValue, loc);
}

} // namespace tensorjit::nn::utils
