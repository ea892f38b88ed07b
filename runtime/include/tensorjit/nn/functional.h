#pragma once
#include "tensorjit/nn/options.h"

/// Layers and losses as functions, under torch's names.
namespace tensorjit::nn::functional {

class Conv2dFuncOptions {
  TENSORJIT_OPTION(Tensor, bias, {});
  TENSORJIT_OPTION(IntPair, stride, 1);
  TENSORJIT_OPTION(IntPair, padding, 0);
  TENSORJIT_OPTION(IntPair, dilation, 1);
  TENSORJIT_OPTION(int64_t, groups, 1);
};
class DropoutFuncOptions {
  TENSORJIT_OPTION(double, p, 0.5);
  TENSORJIT_OPTION(bool, training, true);
};
using MaxPool2dFuncOptions = MaxPool2dOptions;
using CrossEntropyFuncOptions = CrossEntropyLossOptions;
using NLLLossFuncOptions = NLLLossOptions;
using MSELossFuncOptions = MSELossOptions;
using GELUFuncOptions = GELUOptions;
using SoftmaxFuncOptions = SoftmaxOptions;
using LogSoftmaxFuncOptions = SoftmaxOptions;

Tensor linear(const Tensor &x, const Tensor &weight, const Tensor &bias = {},
              SourceLocation loc = SourceLocation::current());
Tensor conv2d(const Tensor &x, const Tensor &weight, const Conv2dFuncOptions &options = {},
              SourceLocation loc = SourceLocation::current());
Tensor max_pool2d(const Tensor &x, const MaxPool2dFuncOptions &options, SourceLocation loc = SourceLocation::current());

Tensor relu(const Tensor &x, SourceLocation loc = SourceLocation::current());
Tensor leaky_relu(const Tensor &x, double negative_slope = 0.01, SourceLocation loc = SourceLocation::current());
Tensor gelu(const Tensor &x, const GELUFuncOptions &options = {}, SourceLocation loc = SourceLocation::current());
Tensor silu(const Tensor &x, SourceLocation loc = SourceLocation::current());
Tensor softmax(const Tensor &x, const SoftmaxFuncOptions &options, SourceLocation loc = SourceLocation::current());
Tensor log_softmax(const Tensor &x, const LogSoftmaxFuncOptions &options,
                   SourceLocation loc = SourceLocation::current());

/// While training each element becomes 0 with probability p and the others are scaled by 1 / (1 - p); else x itself,
/// and no random numbers are drawn. Throws `value_error` for p outside [0, 1].
Tensor dropout(const Tensor &x, const DropoutFuncOptions &options = {}, SourceLocation loc = SourceLocation::current());

Tensor cross_entropy(const Tensor &x, const Tensor &target, const CrossEntropyFuncOptions &options = {},
                     SourceLocation loc = SourceLocation::current());
Tensor nll_loss(const Tensor &x, const Tensor &target, const NLLLossFuncOptions &options = {},
                SourceLocation loc = SourceLocation::current());
/// (x - target)^2, averaged over all elements unless the options say otherwise; sizes broadcast.
Tensor mse_loss(const Tensor &x, const Tensor &target, const MSELossFuncOptions &options = {},
                SourceLocation loc = SourceLocation::current());

} // namespace tensorjit::nn::functional
