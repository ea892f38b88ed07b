#pragma once
#include "tensorjit/tensor.h"

#include <vector>

namespace tensorjit::nn::utils {

/// Scales the gradients of `parameters` in place so that the 2-norm of all of them together is at most `max_norm`:
/// g *= min(max_norm / (norm + 1e-6), 1). Parameters without a gradient are left out. \return the norm before, f32
/// (f64 where a gradient is), a 0-d tensor: reading it on the host would end a recording's segment. Throws
/// `value_error` for a negative max_norm and, with `error_if_nonfinite`, for a norm that is inf or NaN; the gradients
/// are unchanged then.
Tensor clip_grad_norm_(const std::vector<Tensor> &parameters, double max_norm, bool error_if_nonfinite = false,
                       SourceLocation loc = SourceLocation::current());

/// Brings each element of the gradients of `parameters` into [-clip_value, clip_value], in place; NaN stays. Parameters
/// without a gradient are left out. Throws `value_error` for a negative clip_value; the gradients are unchanged then.
void clip_grad_value_(const std::vector<Tensor> &parameters, double clip_value,
                      SourceLocation loc = SourceLocation::current());

} // namespace tensorjit::nn::utils
