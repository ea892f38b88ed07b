// Pointwise functions that are made of others.
#include "core/Dispatch.h"
#include "core/InF32.h"
#include "tensorjit/ops.h"

#include <limits>

namespace tensorjit {

using dispatch::CallScope;
using dispatch::fail;

Tensor prelu(const Tensor &x, const Tensor &weight, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "prelu", "x", x);
  dispatch::requireDefined(scope, "prelu", "weight", weight);
  const int64_t count = weight.numel(), channels = x.dim() > 1 ? x.size(1) : 1;
  if (weight.dim() > 1 || (count != 1 && count != channels))
    fail<shape_error>(scope, "prelu: one weight or " + std::to_string(channels) + " expected for " + x.sizes().str() +
                                 ", got " + weight.sizes().str());
  Shape sizes;
  for (int64_t d = 0; d < x.dim(); ++d) sizes.push_back(d == 1 ? count : 1);
  const Tensor w = count == 1 ? reshape(weight, {}) : reshape(weight, sizes);
  return where(gt(x, 0), x, mul(w, x));
}

static double largestOf(DType type) {
  switch (type) {
  case DType::F16: return 65504;
  case DType::BF16: return 0x1.fep127;
  case DType::F64: return std::numeric_limits<double>::max();
  default: return static_cast<double>(std::numeric_limits<float>::max());
  }
}

Tensor nan_to_num(const Tensor &x, double nan, std::optional<double> posinf, std::optional<double> neginf,
                  SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "nan_to_num", "x", x);
  if (!isFloat(x.dtype())) return x.clone();
  const double most = largestOf(x.dtype());
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor finite =
      where(eq(x, -infinity), neginf.value_or(-most), where(eq(x, infinity), posinf.value_or(most), x));
  return where(isnan(x), nan, finite);
}

Tensor div(const Operand &a, const Operand &b, const std::string &rounding, SourceLocation loc) {
  const CallScope scope(loc);
  if (rounding == "floor") return floor_divide(a, b);
  if (rounding != "trunc") fail<value_error>(scope, "div: rounding floor or trunc expected, got " + rounding);
  const DType type = dispatch::promote(scope, "div", {&a, &b});
  if (isHalf(type)) {
    const dispatch::InF32 x(a, type, scope), y(b, type, scope);
    return dispatch::narrowed(div(x.operand(), y.operand(), rounding, loc), type, scope);
  }
  const bool integers = !isFloat(type);
  return integers ? floor_divide(sub(a, fmod(a, b)), b) : trunc(div(a, b));
}

Tensor gelu(const Tensor &x, const std::string &approximate, SourceLocation loc) {
  if (approximate == "none") return gelu(x, loc);
  if (approximate == "tanh") return gelu_tanh(x, loc);
  const CallScope scope(loc);
  fail<value_error>(scope, "gelu: approximate none or tanh expected, got " + approximate);
}

} // namespace tensorjit
