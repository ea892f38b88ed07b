// Activations that take more than tensors.
#include "core/Dispatch.h"
#include "core/InF32.h"
#include "core/NumberText.h"
#include "tensorjit/ops.h"
#include "tensorjit/random.h"

namespace tensorjit {

using dispatch::CallScope;

Tensor dropout(const Tensor &x, double p, bool train, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "dropout", "x", x);
  if (!(p >= 0 && p <= 1)) dispatch::fail<value_error>(scope, "dropout: p must be in [0, 1], got " + numberText(p));
  if (!train) return x;
  const Tensor kept = ge(rand(x.sizes(), TensorOptions(DType::F32).device(x.device())), p);
  return where(kept, mul(x, p < 1 ? 1 / (1 - p) : 0), 0);
}

Tensor gelu(const Tensor &x, const std::string &approximate, SourceLocation loc) {
  const CallScope scope(loc);
  if (approximate == "none") return gelu(x, loc);
  if (approximate != "tanh")
    dispatch::fail<value_error>(scope, "gelu: approximate \"" + approximate + "\": \"none\" or \"tanh\" expected");
  dispatch::requireDefined(scope, "gelu", "x", x);
  if (!isFloat(x.dtype())) return gelu(cast(x, DType::F32), approximate);
  if (dispatch::anyHalf(x)) return dispatch::narrowed(gelu(dispatch::widened(x, scope), approximate), x.dtype(), scope);
  const Tensor cubic = mul(mul(mul(x, x), x), 0.044715);
  const Tensor t = tanh(mul(add(x, cubic), 0.7978845608028653559)); // sqrt(2 / pi)
  return mul(mul(x, 0.5), add(t, 1.0));
}

} // namespace tensorjit
