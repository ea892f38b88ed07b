#include "nn/ResetUniform.h"
#include "tensorjit/creation.h"
#include "tensorjit/nn.h"
#include "tensorjit/ops.h"

#include <algorithm>

namespace tensorjit::nn {

namespace F = functional;

static Shape kernelShape(int64_t n) { return {n}; }
static Shape kernelShape(IntPair n) { return n.shape(); }
static Shape kernelShape(const Dims &n) { return n.rank() == 1 ? Shape({n[0], n[0], n[0]}) : Shape(n); }

/// [first x second x kernel]
template <class Sizes> static Shape weightSizes(int64_t first, int64_t second, const Sizes &kernel) {
  Shape sizes{first, second};
  for (int64_t k : kernelShape(kernel)) sizes.push_back(k);
  return sizes;
}

static void requireGroups(const char *name, int64_t channels, const char *which, int64_t groups) {
  if (groups < 1 || channels % groups != 0)
    throw shape_error(std::string(name) + ": " + std::to_string(channels) + " " + which +
                      " channels do not divide into " + std::to_string(groups) + " groups");
}

template <class Sizes> ConvImpl<Sizes>::ConvImpl(const ConvOptions<Sizes> &o) : options(o) {
  requireGroups("Conv", o.in_channels(), "input", o.groups());
  weight =
      register_parameter("weight", empty(weightSizes(o.out_channels(), o.in_channels() / o.groups(), o.kernel_size())));
  bias = register_parameter("bias", o.bias() ? empty({o.out_channels()}) : Tensor());
  reset_parameters();
}
template <class Sizes> void ConvImpl<Sizes>::reset_parameters() { resetUniform(weight, bias); }

static Tensor conv(const Tensor &x, const Tensor &w, const F::Conv1dFuncOptions &o, SourceLocation loc) {
  return F::conv1d(x, w, o, loc);
}
static Tensor conv(const Tensor &x, const Tensor &w, const F::Conv2dFuncOptions &o, SourceLocation loc) {
  return F::conv2d(x, w, o, loc);
}
static Tensor conv(const Tensor &x, const Tensor &w, const F::Conv3dFuncOptions &o, SourceLocation loc) {
  return F::conv3d(x, w, o, loc);
}
template <class Sizes> Tensor ConvImpl<Sizes>::forward(const Tensor &x, SourceLocation loc) {
  auto o = F::ConvFuncOptions<Sizes>().bias(bias).stride(options.stride()).padding(options.padding());
  if (options.named_padding()) o.padding(*options.named_padding());
  return conv(x, weight, o.dilation(options.dilation()).groups(options.groups()), loc);
}

template <class Sizes> ConvTransposeImpl<Sizes>::ConvTransposeImpl(const ConvTransposeOptions<Sizes> &o) : options(o) {
  requireGroups("ConvTranspose", o.in_channels(), "input", o.groups());
  requireGroups("ConvTranspose", o.out_channels(), "output", o.groups());
  weight =
      register_parameter("weight", empty(weightSizes(o.in_channels(), o.out_channels() / o.groups(), o.kernel_size())));
  bias = register_parameter("bias", o.bias() ? empty({o.out_channels()}) : Tensor());
  reset_parameters();
}
template <class Sizes> void ConvTransposeImpl<Sizes>::reset_parameters() { resetUniform(weight, bias); }

static Tensor convTranspose(const Tensor &x, const Tensor &w, const F::ConvTranspose1dFuncOptions &o,
                            SourceLocation loc) {
  return F::conv_transpose1d(x, w, o, loc);
}
static Tensor convTranspose(const Tensor &x, const Tensor &w, const F::ConvTranspose2dFuncOptions &o,
                            SourceLocation loc) {
  return F::conv_transpose2d(x, w, o, loc);
}
static Tensor convTranspose(const Tensor &x, const Tensor &w, const F::ConvTranspose3dFuncOptions &o,
                            SourceLocation loc) {
  return F::conv_transpose3d(x, w, o, loc);
}
template <class Sizes> Tensor ConvTransposeImpl<Sizes>::forward(const Tensor &x, SourceLocation loc) {
  auto o = F::ConvTransposeFuncOptions<Sizes>().bias(bias).stride(options.stride()).padding(options.padding());
  o.output_padding(options.output_padding()).groups(options.groups()).dilation(options.dilation());
  return convTranspose(x, weight, o, loc);
}

template class ConvImpl<int64_t>;
template class ConvImpl<IntPair>;
template class ConvImpl<Dims>;
template class ConvTransposeImpl<int64_t>;
template class ConvTransposeImpl<IntPair>;
template class ConvTransposeImpl<Dims>;

namespace functional {

#define TENSORJIT_CONV_FUNCTIONS(dims)                                                                                 \
  Tensor conv##dims##d(const Tensor &x, const Tensor &weight, const Conv##dims##dFuncOptions &o, SourceLocation loc) { \
    if (o.named_padding())                                                                                             \
      return tensorjit::conv##dims##d(x, weight, o.bias(), o.stride(), *o.named_padding(), o.dilation(), o.groups(),   \
                                      loc);                                                                            \
    return tensorjit::conv##dims##d(x, weight, o.bias(), o.stride(), o.padding(), o.dilation(), o.groups(), loc);      \
  }                                                                                                                    \
  Tensor conv_transpose##dims##d(const Tensor &x, const Tensor &weight, const ConvTranspose##dims##dFuncOptions &o,    \
                                 SourceLocation loc) {                                                                 \
    return tensorjit::conv_transpose##dims##d(x, weight, o.bias(), o.stride(), o.padding(), o.output_padding(),        \
                                              o.groups(), o.dilation(), loc);                                          \
  }
TENSORJIT_CONV_FUNCTIONS(1)
TENSORJIT_CONV_FUNCTIONS(2)
TENSORJIT_CONV_FUNCTIONS(3)

} // namespace functional
} // namespace tensorjit::nn
