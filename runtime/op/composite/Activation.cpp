// Activations that take more than tensors.
#include "core/Dispatch.h"
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

} // namespace tensorjit
