#include "tensorjit/nn/functional.h"
#include "core/Dispatch.h"
#include "core/InF32.h"
#include "tensorjit/ops.h"

namespace tensorjit::nn::functional {

using dispatch::CallScope;

Tensor linear(const Tensor &x, const Tensor &weight, const Tensor &bias, SourceLocation loc) {
  return tensorjit::linear(x, weight, bias, loc);
}
Tensor instance_norm(const Tensor &x, const InstanceNormFuncOptions &o, SourceLocation loc) {
  return tensorjit::instance_norm(x, o.weight(), o.bias(), o.eps(), loc);
}

Tensor relu(const Tensor &x, SourceLocation loc) { return tensorjit::relu(x, loc); }
Tensor leaky_relu(const Tensor &x, double slope, SourceLocation loc) { return tensorjit::leaky_relu(x, slope, loc); }
Tensor gelu(const Tensor &x, const GELUFuncOptions &options, SourceLocation loc) {
  return tensorjit::gelu(x, options.approximate(), loc);
}
Tensor silu(const Tensor &x, SourceLocation loc) { return tensorjit::silu(x, loc); }
Tensor softmax(const Tensor &x, const SoftmaxFuncOptions &o, SourceLocation loc) {
  return tensorjit::softmax(x, o.dim(), o.dtype(), loc);
}
Tensor log_softmax(const Tensor &x, const LogSoftmaxFuncOptions &o, SourceLocation loc) {
  return tensorjit::log_softmax(x, o.dim(), o.dtype(), loc);
}

Tensor dropout(const Tensor &x, const DropoutFuncOptions &o, SourceLocation loc) {
  return tensorjit::dropout(x, o.p(), o.training(), loc);
}

Tensor cross_entropy(const Tensor &x, const Tensor &target, const CrossEntropyFuncOptions &o, SourceLocation loc) {
  return tensorjit::cross_entropy(x, target, o.reduction(), o.ignore_index(), o.label_smoothing(), loc);
}
Tensor nll_loss(const Tensor &x, const Tensor &target, const NLLLossFuncOptions &o, SourceLocation loc) {
  return tensorjit::nll_loss(x, target, o.reduction(), o.ignore_index(), loc);
}
Tensor mse_loss(const Tensor &x, const Tensor &target, const MSELossFuncOptions &o, SourceLocation loc) {
  const CallScope scope(loc);
  if (dispatch::anyHalf(x, target))
    return dispatch::narrowed(mse_loss(dispatch::widened(x, scope), dispatch::widened(target, scope), o, loc),
                              dispatch::meet(scope, "mse_loss", x, target), scope);
  const Tensor squares = square(sub(x, target, loc), loc);
  switch (o.reduction()) {
  case Reduction::None: return squares;
  case Reduction::Sum: return sum(squares, {}, false, std::nullopt, loc);
  default: return mean(squares, {}, false, std::nullopt, loc);
  }
}

} // namespace tensorjit::nn::functional
