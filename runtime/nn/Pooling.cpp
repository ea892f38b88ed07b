#include "tensorjit/nn.h"
#include "tensorjit/ops.h"

namespace tensorjit::nn {

Shape AdaptiveSizes::of(const Shape &input, size_t dims) const {
  if (sizes_.size() != 1 && sizes_.size() != dims)
    throw value_error("adaptive pooling: one output size or " + std::to_string(dims) + " expected, got " +
                      std::to_string(sizes_.size()));
  Shape result;
  for (size_t i = 0; i < dims; ++i) {
    const auto &given = sizes_[sizes_.size() == 1 ? 0 : i];
    const size_t behind = dims - i; // an input of too few dims is the pooling's to refuse
    result.push_back(given.value_or(behind <= input.rank() ? input[input.rank() - behind] : 1));
  }
  return result;
}

namespace functional {

#define TENSORJIT_POOL_FUNCTIONS(dims, ...)                                                                            \
  Tensor max_pool##dims##d(const Tensor &x, const MaxPool##dims##dFuncOptions &o, SourceLocation loc) {                \
    return tensorjit::max_pool##dims##d(x, o.kernel_size(), o.stride(), o.padding(), o.dilation(), o.ceil_mode(),      \
                                        loc);                                                                          \
  }                                                                                                                    \
  Tensor avg_pool##dims##d(const Tensor &x, const AvgPool##dims##dFuncOptions &o, SourceLocation loc) {                \
    return tensorjit::avg_pool##dims##d(x, o.kernel_size(), o.stride(), o.padding(), o.ceil_mode(),                    \
                                        o.count_include_pad(), __VA_ARGS__ loc);                                       \
  }                                                                                                                    \
  Tensor adaptive_avg_pool##dims##d(const Tensor &x, const AdaptivePoolOptions &o, SourceLocation loc) {               \
    return tensorjit::adaptive_avg_pool##dims##d(x, o.output_size().of(x.sizes(), dims), loc);                         \
  }                                                                                                                    \
  Tensor adaptive_max_pool##dims##d(const Tensor &x, const AdaptivePoolOptions &o, SourceLocation loc) {               \
    return tensorjit::adaptive_max_pool##dims##d(x, o.output_size().of(x.sizes(), dims), loc);                         \
  }
TENSORJIT_POOL_FUNCTIONS(1)
TENSORJIT_POOL_FUNCTIONS(2, o.divisor_override(), )
TENSORJIT_POOL_FUNCTIONS(3, o.divisor_override(), )

} // namespace functional

namespace F = functional;

#define TENSORJIT_POOL_MODULES(dims, Sizes)                                                                            \
  template <> Tensor MaxPoolImpl<Sizes>::forward(const Tensor &x, SourceLocation loc) {                                \
    return F::max_pool##dims##d(x, options, loc);                                                                      \
  }                                                                                                                    \
  template <> Tensor AvgPoolImpl<Sizes>::forward(const Tensor &x, SourceLocation loc) {                                \
    return F::avg_pool##dims##d(x, options, loc);                                                                      \
  }                                                                                                                    \
  template <> Tensor AdaptiveAvgPoolImpl<dims>::forward(const Tensor &x, SourceLocation loc) {                         \
    return F::adaptive_avg_pool##dims##d(x, options, loc);                                                             \
  }                                                                                                                    \
  template <> Tensor AdaptiveMaxPoolImpl<dims>::forward(const Tensor &x, SourceLocation loc) {                         \
    return F::adaptive_max_pool##dims##d(x, options, loc);                                                             \
  }
TENSORJIT_POOL_MODULES(1, int64_t)
TENSORJIT_POOL_MODULES(2, IntPair)
TENSORJIT_POOL_MODULES(3, Dims)

} // namespace tensorjit::nn
