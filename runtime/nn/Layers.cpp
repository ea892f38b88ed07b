#include "core/Dispatch.h"
#include "tensorjit/creation.h"
#include "tensorjit/nn.h"
#include "tensorjit/ops.h"

#include <cmath>

namespace tensorjit::nn {

using dispatch::CallScope;
namespace F = functional;

/// torch's choice for the layers below: weights from He's rule with a = sqrt(5), which is 1/sqrt(fan_in) for both.
static void resetUniform(const Tensor &weight, const Tensor &bias) {
  init::kaiming_uniform_(weight, std::sqrt(5.0));
  if (!bias.defined()) return;
  const double fanIn = static_cast<double>(weight.numel() / weight.size(0));
  const double bound = fanIn > 0 ? 1 / std::sqrt(fanIn) : 0;
  init::uniform_(bias, -bound, bound);
}

LinearImpl::LinearImpl(const LinearOptions &o) : options(o) {
  weight = register_parameter("weight", empty({o.out_features(), o.in_features()}));
  bias = register_parameter("bias", o.bias() ? empty({o.out_features()}) : Tensor());
  reset_parameters();
}
void LinearImpl::reset_parameters() { resetUniform(weight, bias); }
Tensor LinearImpl::forward(const Tensor &x, SourceLocation loc) { return tensorjit::linear(x, weight, bias, loc); }

Conv2dImpl::Conv2dImpl(const Conv2dOptions &o) : options(o) {
  if (o.groups() < 1 || o.in_channels() % o.groups() != 0)
    throw shape_error("Conv2d: " + std::to_string(o.in_channels()) + " input channels do not divide into " +
                      std::to_string(o.groups()) + " groups");
  const IntPair k = o.kernel_size();
  weight = register_parameter("weight", empty({o.out_channels(), o.in_channels() / o.groups(), k.h, k.w}));
  bias = register_parameter("bias", o.bias() ? empty({o.out_channels()}) : Tensor());
  reset_parameters();
}
void Conv2dImpl::reset_parameters() { resetUniform(weight, bias); }
Tensor Conv2dImpl::forward(const Tensor &x, SourceLocation loc) {
  return tensorjit::conv2d(x, weight, bias, options.stride(), options.padding(), options.dilation(), options.groups(),
                           loc);
}

Tensor MaxPool2dImpl::forward(const Tensor &x, SourceLocation loc) { return F::max_pool2d(x, options, loc); }
Tensor FlattenImpl::forward(const Tensor &x, SourceLocation loc) {
  return tensorjit::flatten(x, options.start_dim(), options.end_dim(), loc);
}
Tensor ReLUImpl::forward(const Tensor &x, SourceLocation loc) { return tensorjit::relu(x, loc); }
Tensor SigmoidImpl::forward(const Tensor &x, SourceLocation loc) { return tensorjit::sigmoid(x, loc); }
Tensor TanhImpl::forward(const Tensor &x, SourceLocation loc) { return tensorjit::tanh(x, loc); }
Tensor GELUImpl::forward(const Tensor &x, SourceLocation loc) { return F::gelu(x, options, loc); }
Tensor DropoutImpl::forward(const Tensor &x, SourceLocation loc) {
  return F::dropout(x, F::DropoutFuncOptions().p(options.p()).training(is_training()), loc);
}

Tensor SequentialImpl::forward(const Tensor &x, SourceLocation loc) {
  const CallScope scope(loc);
  Tensor h = x;
  for (const Stage &s : stages_) h = s.forward(*s.module, h, loc);
  return h;
}

} // namespace tensorjit::nn
