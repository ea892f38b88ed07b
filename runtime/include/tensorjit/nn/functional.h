#pragma once
#include "tensorjit/nn/options.h"

/// Layers and losses as functions, under torch's names.
namespace tensorjit::nn::functional {

template <class Sizes> class ConvFuncOptions {
  TENSORJIT_OPTION(Tensor, bias, {});
  TENSORJIT_OPTION(Sizes, stride, 1);
  TENSORJIT_CONV_PADDING(Sizes);
  TENSORJIT_OPTION(Sizes, dilation, 1);
  TENSORJIT_OPTION(int64_t, groups, 1);
};
template <class Sizes> class ConvTransposeFuncOptions {
  TENSORJIT_OPTION(Tensor, bias, {});
  TENSORJIT_OPTION(Sizes, stride, 1);
  TENSORJIT_OPTION(Sizes, padding, 0);
  TENSORJIT_OPTION(Sizes, output_padding, 0);
  TENSORJIT_OPTION(int64_t, groups, 1);
  TENSORJIT_OPTION(Sizes, dilation, 1);
};
using Conv1dFuncOptions = ConvFuncOptions<int64_t>;
using Conv2dFuncOptions = ConvFuncOptions<IntPair>;
using Conv3dFuncOptions = ConvFuncOptions<Dims>;
using ConvTranspose1dFuncOptions = ConvTransposeFuncOptions<int64_t>;
using ConvTranspose2dFuncOptions = ConvTransposeFuncOptions<IntPair>;
using ConvTranspose3dFuncOptions = ConvTransposeFuncOptions<Dims>;
class DropoutFuncOptions {
  TENSORJIT_OPTION(double, p, 0.5);
  TENSORJIT_OPTION(bool, training, true);
};
using MaxPool1dFuncOptions = MaxPool1dOptions;
using MaxPool2dFuncOptions = MaxPool2dOptions;
using MaxPool3dFuncOptions = MaxPool3dOptions;
using AvgPool1dFuncOptions = AvgPool1dOptions;
using AvgPool2dFuncOptions = AvgPool2dOptions;
using AvgPool3dFuncOptions = AvgPool3dOptions;
class InstanceNormFuncOptions {
  TENSORJIT_OPTION(Tensor, weight, {});
  TENSORJIT_OPTION(Tensor, bias, {});
  TENSORJIT_OPTION(double, eps, 1e-5);
};
class InterpolateFuncOptions {
  TENSORJIT_OPTION(std::optional<Shape>, size, std::nullopt);                       ///< one a dim of space
  TENSORJIT_OPTION(std::optional<std::vector<double>>, scale_factor, std::nullopt); ///< one, or one a dim of space
  TENSORJIT_OPTION(std::string, mode, "nearest"); ///< "linear", "bilinear", "trilinear"
  TENSORJIT_OPTION(bool, align_corners, false);   ///< corners fall on corners; of the linear modes
};
using CrossEntropyFuncOptions = CrossEntropyLossOptions;
using NLLLossFuncOptions = NLLLossOptions;
using MSELossFuncOptions = MSELossOptions;
using GELUFuncOptions = GELUOptions;
using SoftmaxFuncOptions = SoftmaxOptions;
using LogSoftmaxFuncOptions = SoftmaxOptions;

Tensor linear(const Tensor &x, const Tensor &weight, const Tensor &bias = {},
              SourceLocation loc = SourceLocation::current());
Tensor conv1d(const Tensor &x, const Tensor &weight, const Conv1dFuncOptions &options = {},
              SourceLocation loc = SourceLocation::current());
Tensor conv2d(const Tensor &x, const Tensor &weight, const Conv2dFuncOptions &options = {},
              SourceLocation loc = SourceLocation::current());
Tensor conv3d(const Tensor &x, const Tensor &weight, const Conv3dFuncOptions &options = {},
              SourceLocation loc = SourceLocation::current());
Tensor conv_transpose1d(const Tensor &x, const Tensor &weight, const ConvTranspose1dFuncOptions &options = {},
                        SourceLocation loc = SourceLocation::current());
Tensor conv_transpose2d(const Tensor &x, const Tensor &weight, const ConvTranspose2dFuncOptions &options = {},
                        SourceLocation loc = SourceLocation::current());
Tensor conv_transpose3d(const Tensor &x, const Tensor &weight, const ConvTranspose3dFuncOptions &options = {},
                        SourceLocation loc = SourceLocation::current());
Tensor max_pool1d(const Tensor &x, const MaxPool1dFuncOptions &options, SourceLocation loc = SourceLocation::current());
Tensor avg_pool1d(const Tensor &x, const AvgPool1dFuncOptions &options, SourceLocation loc = SourceLocation::current());
Tensor max_pool2d(const Tensor &x, const MaxPool2dFuncOptions &options, SourceLocation loc = SourceLocation::current());
Tensor avg_pool2d(const Tensor &x, const AvgPool2dFuncOptions &options, SourceLocation loc = SourceLocation::current());
Tensor max_pool3d(const Tensor &x, const MaxPool3dFuncOptions &options, SourceLocation loc = SourceLocation::current());
Tensor avg_pool3d(const Tensor &x, const AvgPool3dFuncOptions &options, SourceLocation loc = SourceLocation::current());
Tensor adaptive_avg_pool1d(const Tensor &x, const AdaptivePoolOptions &options,
                           SourceLocation loc = SourceLocation::current());
Tensor adaptive_max_pool1d(const Tensor &x, const AdaptivePoolOptions &options,
                           SourceLocation loc = SourceLocation::current());
Tensor adaptive_avg_pool2d(const Tensor &x, const AdaptivePoolOptions &options,
                           SourceLocation loc = SourceLocation::current());
Tensor adaptive_max_pool2d(const Tensor &x, const AdaptivePoolOptions &options,
                           SourceLocation loc = SourceLocation::current());
Tensor adaptive_avg_pool3d(const Tensor &x, const AdaptivePoolOptions &options,
                           SourceLocation loc = SourceLocation::current());
Tensor adaptive_max_pool3d(const Tensor &x, const AdaptivePoolOptions &options,
                           SourceLocation loc = SourceLocation::current());
Tensor instance_norm(const Tensor &x, const InstanceNormFuncOptions &options = {},
                     SourceLocation loc = SourceLocation::current());

/// Resizes the dims of space of [n x c x space] to `size`, or to their sizes times `scale_factor`, rounded down.
/// "nearest" takes the element at floor(position * in / out); "linear" (signals), "bilinear" (images) and "trilinear"
/// (volumes) weigh the neighbours of the position that the middle of a cell comes to, or with `align_corners` of the
/// position that keeps corners on corners. Throws `value_error` for another mode, for both or none of size and
/// scale_factor, or for sizes below 1; `shape_error` for a rank that the mode does not take.
Tensor interpolate(const Tensor &x, const InterpolateFuncOptions &options,
                   SourceLocation loc = SourceLocation::current());

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
