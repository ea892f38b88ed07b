#pragma once
#include "tensorjit/operand.h"
#include "tensorjit/padding_mode.h"
#include "tensorjit/tensor.h"

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace tensorjit::nn {

/// One option: `o.name(value)` sets it and returns the options, `o.name()` reads it.
#define TENSORJIT_OPTION(T, name, initial)                                                                             \
public:                                                                                                                \
  auto &name(const T &value) {                                                                                         \
    name##_ = value;                                                                                                   \
    return *this;                                                                                                      \
  }                                                                                                                    \
  const T &name() const { return name##_; }                                                                            \
                                                                                                                       \
private:                                                                                                               \
  T name##_ = initial

class LinearOptions {
public:
  LinearOptions(int64_t in_features, int64_t out_features) : in_features_(in_features), out_features_(out_features) {}
  TENSORJIT_OPTION(int64_t, in_features, 0);
  TENSORJIT_OPTION(int64_t, out_features, 0);
  TENSORJIT_OPTION(bool, bias, true);
};

class EmbeddingOptions {
public:
  EmbeddingOptions(int64_t num_embeddings, int64_t embedding_dim)
      : num_embeddings_(num_embeddings), embedding_dim_(embedding_dim) {}
  TENSORJIT_OPTION(int64_t, num_embeddings, 0);
  TENSORJIT_OPTION(int64_t, embedding_dim, 0);
  TENSORJIT_OPTION(std::optional<int64_t>, padding_idx, std::nullopt); ///< negative ones count from the end
};

/// Amounts along the dims of space are one number for signals, a pair for images, and three (or one for all) for
/// volumes.
#define TENSORJIT_WINDOW_OPTIONS(Name)                                                                                 \
  using Name##1dOptions = Name##Options<int64_t>;                                                                      \
  using Name##2dOptions = Name##Options<IntPair>;                                                                      \
  using Name##3dOptions = Name##Options<Dims>

/// Cells on each side of an input, or `kSame` or `kValid`.
#define TENSORJIT_CONV_PADDING(Sizes)                                                                                  \
public:                                                                                                                \
  auto &padding(const Sizes &cells) {                                                                                  \
    padding_ = cells;                                                                                                  \
    named_padding_.reset();                                                                                            \
    return *this;                                                                                                      \
  }                                                                                                                    \
  auto &padding(PaddingMode mode) {                                                                                    \
    named_padding_ = mode;                                                                                             \
    return *this;                                                                                                      \
  }                                                                                                                    \
  const Sizes &padding() const { return padding_; }                                                                    \
  const std::optional<PaddingMode> &named_padding() const { return named_padding_; }                                   \
                                                                                                                       \
private:                                                                                                               \
  Sizes padding_ = 0;                                                                                                  \
  std::optional<PaddingMode> named_padding_

template <class Sizes> class ConvOptions {
public:
  ConvOptions(int64_t in_channels, int64_t out_channels, const Sizes &kernel_size)
      : in_channels_(in_channels), out_channels_(out_channels), kernel_size_(kernel_size) {}
  TENSORJIT_OPTION(int64_t, in_channels, 0);
  TENSORJIT_OPTION(int64_t, out_channels, 0);
  TENSORJIT_OPTION(Sizes, kernel_size, 1);
  TENSORJIT_OPTION(Sizes, stride, 1);
  TENSORJIT_CONV_PADDING(Sizes);
  TENSORJIT_OPTION(Sizes, dilation, 1);
  TENSORJIT_OPTION(int64_t, groups, 1);
  TENSORJIT_OPTION(bool, bias, true);
};
TENSORJIT_WINDOW_OPTIONS(Conv);

template <class Sizes> class ConvTransposeOptions {
public:
  ConvTransposeOptions(int64_t in_channels, int64_t out_channels, const Sizes &kernel_size)
      : in_channels_(in_channels), out_channels_(out_channels), kernel_size_(kernel_size) {}
  TENSORJIT_OPTION(int64_t, in_channels, 0);
  TENSORJIT_OPTION(int64_t, out_channels, 0);
  TENSORJIT_OPTION(Sizes, kernel_size, 1);
  TENSORJIT_OPTION(Sizes, stride, 1);
  TENSORJIT_OPTION(Sizes, padding, 0);
  TENSORJIT_OPTION(Sizes, output_padding, 0);
  TENSORJIT_OPTION(int64_t, groups, 1);
  TENSORJIT_OPTION(bool, bias, true);
  TENSORJIT_OPTION(Sizes, dilation, 1);
};
TENSORJIT_WINDOW_OPTIONS(ConvTranspose);

template <class Sizes> class MaxPoolOptions {
public:
  MaxPoolOptions(const Sizes &kernel_size) : kernel_size_(kernel_size) {}
  MaxPoolOptions(int64_t kernel_size) requires(!std::is_same_v<Sizes, int64_t>) : kernel_size_(kernel_size) {}
  TENSORJIT_OPTION(Sizes, kernel_size, 2);
  TENSORJIT_OPTION(std::optional<Sizes>, stride, std::nullopt); ///< default: the kernel's size
  TENSORJIT_OPTION(Sizes, padding, 0);
  TENSORJIT_OPTION(Sizes, dilation, 1);
  TENSORJIT_OPTION(bool, ceil_mode, false);
};
TENSORJIT_WINDOW_OPTIONS(MaxPool);

template <class Sizes> class AvgPoolOptions {
public:
  AvgPoolOptions(const Sizes &kernel_size) : kernel_size_(kernel_size) {}
  AvgPoolOptions(int64_t kernel_size) requires(!std::is_same_v<Sizes, int64_t>) : kernel_size_(kernel_size) {}
  TENSORJIT_OPTION(Sizes, kernel_size, 2);
  TENSORJIT_OPTION(std::optional<Sizes>, stride, std::nullopt); ///< default: the kernel's size
  TENSORJIT_OPTION(Sizes, padding, 0);
  TENSORJIT_OPTION(bool, ceil_mode, false);
  TENSORJIT_OPTION(bool, count_include_pad, true);
  TENSORJIT_OPTION(std::optional<int64_t>, divisor_override, std::nullopt); ///< of images and volumes
};
TENSORJIT_WINDOW_OPTIONS(AvgPool);

/// Sizes of an adaptive pooling's result; a dim without one keeps that of the input. One number stands for all dims.
class AdaptiveSizes {
public:
  AdaptiveSizes(int64_t all) : sizes_{all} {}
  AdaptiveSizes(std::initializer_list<std::optional<int64_t>> sizes) : sizes_(sizes) {}
  explicit AdaptiveSizes(std::vector<std::optional<int64_t>> sizes) : sizes_(std::move(sizes)) {}
  /// For the last `dims` dims of an input. Throws `value_error` for another number of sizes than one or `dims`.
  Shape of(const Shape &input, size_t dims) const;

private:
  std::vector<std::optional<int64_t>> sizes_;
};
class AdaptivePoolOptions {
public:
  AdaptivePoolOptions(const AdaptiveSizes &output_size) : output_size_(output_size) {}
  AdaptivePoolOptions(int64_t output_size) : output_size_(output_size) {}
  AdaptivePoolOptions(std::initializer_list<std::optional<int64_t>> output_size) : output_size_(output_size) {}
  TENSORJIT_OPTION(AdaptiveSizes, output_size, 1);
};
using AdaptiveAvgPool1dOptions = AdaptivePoolOptions;
using AdaptiveAvgPool2dOptions = AdaptivePoolOptions;
using AdaptiveAvgPool3dOptions = AdaptivePoolOptions;
using AdaptiveMaxPool1dOptions = AdaptivePoolOptions;
using AdaptiveMaxPool2dOptions = AdaptivePoolOptions;
using AdaptiveMaxPool3dOptions = AdaptivePoolOptions;

class InstanceNormOptions {
public:
  InstanceNormOptions(int64_t num_features) : num_features_(num_features) {}
  TENSORJIT_OPTION(int64_t, num_features, 0);
  TENSORJIT_OPTION(double, eps, 1e-5);
  TENSORJIT_OPTION(bool, affine, false); ///< a weight and a bias for each channel
};

class FlattenOptions {
  TENSORJIT_OPTION(int64_t, start_dim, 1);
  TENSORJIT_OPTION(int64_t, end_dim, -1);
};

class DropoutOptions {
public:
  DropoutOptions(double p = 0.5) : p_(p) {}
  TENSORJIT_OPTION(double, p, 0.5); ///< probability that an element becomes 0
};

class CrossEntropyLossOptions {
  TENSORJIT_OPTION(Reduction, reduction, Reduction::Mean);
  TENSORJIT_OPTION(int64_t, ignore_index, -100);
  TENSORJIT_OPTION(double, label_smoothing, 0.0);
};

class NLLLossOptions {
  TENSORJIT_OPTION(Reduction, reduction, Reduction::Mean);
  TENSORJIT_OPTION(int64_t, ignore_index, -100);
};

class MSELossOptions {
public:
  MSELossOptions(Reduction reduction = Reduction::Mean) : reduction_(reduction) {}
  TENSORJIT_OPTION(Reduction, reduction, Reduction::Mean);
};

class GELUOptions {
  TENSORJIT_OPTION(std::string, approximate, "none"); ///< or "tanh"
};

class SoftmaxOptions {
public:
  SoftmaxOptions(int64_t dim) : dim_(dim) {}
  TENSORJIT_OPTION(int64_t, dim, 0);
  TENSORJIT_OPTION(std::optional<DType>, dtype, std::nullopt);
};

} // namespace tensorjit::nn
