#include "tensorjit/nn/functional.h"
#include "core/Dispatch.h"
#include "core/InF32.h"
#include "core/NumberText.h"
#include "tensorjit/ops.h"
#include "tensorjit/random.h"

namespace tensorjit::nn::functional {

using dispatch::CallScope;

Tensor linear(const Tensor &x, const Tensor &weight, const Tensor &bias, SourceLocation loc) {
  return tensorjit::linear(x, weight, bias, loc);
}
Tensor conv2d(const Tensor &x, const Tensor &weight, const Conv2dFuncOptions &o, SourceLocation loc) {
  return tensorjit::conv2d(x, weight, o.bias(), o.stride(), o.padding(), o.dilation(), o.groups(), loc);
}
Tensor max_pool2d(const Tensor &x, const MaxPool2dFuncOptions &o, SourceLocation loc) {
  return tensorjit::max_pool2d(x, o.kernel_size(), o.stride(), o.padding(), o.dilation(), o.ceil_mode(), loc);
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
  const CallScope scope(loc);
  const double p = o.p();
  dispatch::requireDefined(scope, "dropout", "x", x);
  if (!(p >= 0 && p <= 1)) dispatch::fail<value_error>(scope, "dropout: p must be in [0, 1], got " + numberText(p));
  if (!o.training()) return x;
  const Tensor kept = ge(rand(x.sizes(), TensorOptions(DType::F32).device(x.device()), loc), p, loc);
  const double scale = p < 1 ? 1 / (1 - p) : 0;
  return where(kept, mul(x, scale, loc), 0, loc);
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
