#pragma once
#include "tensorjit/operand.h"
#include "tensorjit/tensor.h"

#include <optional>
#include <string>

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

class Conv2dOptions {
public:
  Conv2dOptions(int64_t in_channels, int64_t out_channels, IntPair kernel_size)
      : in_channels_(in_channels), out_channels_(out_channels), kernel_size_(kernel_size) {}
  TENSORJIT_OPTION(int64_t, in_channels, 0);
  TENSORJIT_OPTION(int64_t, out_channels, 0);
  TENSORJIT_OPTION(IntPair, kernel_size, 1);
  TENSORJIT_OPTION(IntPair, stride, 1);
  TENSORJIT_OPTION(IntPair, padding, 0);
  TENSORJIT_OPTION(IntPair, dilation, 1);
  TENSORJIT_OPTION(int64_t, groups, 1);
  TENSORJIT_OPTION(bool, bias, true);
};

class MaxPool2dOptions {
public:
  MaxPool2dOptions(IntPair kernel_size) : kernel_size_(kernel_size) {}
  MaxPool2dOptions(int64_t kernel_size) : kernel_size_(kernel_size) {}
  TENSORJIT_OPTION(IntPair, kernel_size, 2);
  TENSORJIT_OPTION(std::optional<IntPair>, stride, std::nullopt); ///< default: the kernel's size
  TENSORJIT_OPTION(IntPair, padding, 0);
  TENSORJIT_OPTION(IntPair, dilation, 1);
  TENSORJIT_OPTION(bool, ceil_mode, false);
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
