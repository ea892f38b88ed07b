#pragma once
#include "tensorjit/nn/module.h"
#include "tensorjit/nn/options.h"

namespace tensorjit::nn {

template <class Sizes> class MaxPoolImpl : public Module {
public:
  explicit MaxPoolImpl(const MaxPoolOptions<Sizes> &options) : options(options) {}
  Tensor forward(const Tensor &x, SourceLocation loc = SourceLocation::current());
  MaxPoolOptions<Sizes> options;
};
template <class Sizes> class AvgPoolImpl : public Module {
public:
  explicit AvgPoolImpl(const AvgPoolOptions<Sizes> &options) : options(options) {}
  Tensor forward(const Tensor &x, SourceLocation loc = SourceLocation::current());
  AvgPoolOptions<Sizes> options;
};
/// Over the `dims` last dims.
template <int dims> class AdaptiveAvgPoolImpl : public Module {
public:
  explicit AdaptiveAvgPoolImpl(const AdaptivePoolOptions &options) : options(options) {}
  Tensor forward(const Tensor &x, SourceLocation loc = SourceLocation::current());
  AdaptivePoolOptions options;
};
template <int dims> class AdaptiveMaxPoolImpl : public Module {
public:
  explicit AdaptiveMaxPoolImpl(const AdaptivePoolOptions &options) : options(options) {}
  Tensor forward(const Tensor &x, SourceLocation loc = SourceLocation::current());
  AdaptivePoolOptions options;
};

// Every module's forward is of its own.
#define TENSORJIT_POOLING(dims, Sizes)                                                                                 \
  template <> Tensor MaxPoolImpl<Sizes>::forward(const Tensor &x, SourceLocation loc);                                 \
  template <> Tensor AvgPoolImpl<Sizes>::forward(const Tensor &x, SourceLocation loc);                                 \
  template <> Tensor AdaptiveAvgPoolImpl<dims>::forward(const Tensor &x, SourceLocation loc);                          \
  template <> Tensor AdaptiveMaxPoolImpl<dims>::forward(const Tensor &x, SourceLocation loc);                          \
  using MaxPool##dims##dImpl = MaxPoolImpl<Sizes>;                                                                     \
  using AvgPool##dims##dImpl = AvgPoolImpl<Sizes>;                                                                     \
  using AdaptiveAvgPool##dims##dImpl = AdaptiveAvgPoolImpl<dims>;                                                      \
  using AdaptiveMaxPool##dims##dImpl = AdaptiveMaxPoolImpl<dims>;                                                      \
  TENSORJIT_MODULE(MaxPool##dims##d);                                                                                  \
  TENSORJIT_MODULE(AvgPool##dims##d);                                                                                  \
  TENSORJIT_MODULE(AdaptiveAvgPool##dims##d);                                                                          \
  TENSORJIT_MODULE(AdaptiveMaxPool##dims##d)

TENSORJIT_POOLING(1, int64_t);
TENSORJIT_POOLING(2, IntPair);
TENSORJIT_POOLING(3, Dims);

} // namespace tensorjit::nn
