#pragma once
#include "tensorjit/nn/module.h"
#include "tensorjit/nn/options.h"

namespace tensorjit::nn {

/// Cross-correlation with a bank of windows; initialised as torch's.
template <class Sizes> class ConvImpl : public Module {
public:
  ConvImpl(int64_t in_channels, int64_t out_channels, const Sizes &kernel_size)
      : ConvImpl(ConvOptions<Sizes>(in_channels, out_channels, kernel_size)) {}
  /// Throws `shape_error` where the groups do not divide the channels.
  explicit ConvImpl(const ConvOptions<Sizes> &options);
  void reset_parameters();
  Tensor forward(const Tensor &x, SourceLocation loc = SourceLocation::current());

  ConvOptions<Sizes> options;
  Tensor weight, bias; ///< [out x in/groups x kernel], [out]
};
using Conv1dImpl = ConvImpl<int64_t>;
using Conv2dImpl = ConvImpl<IntPair>;
using Conv3dImpl = ConvImpl<Dims>;
extern template class ConvImpl<int64_t>;
extern template class ConvImpl<IntPair>;
extern template class ConvImpl<Dims>;
TENSORJIT_MODULE(Conv1d);
TENSORJIT_MODULE(Conv2d);
TENSORJIT_MODULE(Conv3d);

/// Each element of the input adds a window of weights to the result; initialised as torch's.
template <class Sizes> class ConvTransposeImpl : public Module {
public:
  ConvTransposeImpl(int64_t in_channels, int64_t out_channels, const Sizes &kernel_size)
      : ConvTransposeImpl(ConvTransposeOptions<Sizes>(in_channels, out_channels, kernel_size)) {}
  /// Throws `shape_error` where the groups do not divide the channels.
  explicit ConvTransposeImpl(const ConvTransposeOptions<Sizes> &options);
  void reset_parameters();
  Tensor forward(const Tensor &x, SourceLocation loc = SourceLocation::current());

  ConvTransposeOptions<Sizes> options;
  Tensor weight, bias; ///< [in x out/groups x kernel], [out]
};
using ConvTranspose1dImpl = ConvTransposeImpl<int64_t>;
using ConvTranspose2dImpl = ConvTransposeImpl<IntPair>;
using ConvTranspose3dImpl = ConvTransposeImpl<Dims>;
extern template class ConvTransposeImpl<int64_t>;
extern template class ConvTransposeImpl<IntPair>;
extern template class ConvTransposeImpl<Dims>;
TENSORJIT_MODULE(ConvTranspose1d);
TENSORJIT_MODULE(ConvTranspose2d);
TENSORJIT_MODULE(ConvTranspose3d);

} // namespace tensorjit::nn
