#pragma once
#include "eager/loops/Level.h"

#include <cstdint>

namespace tensorjit::eager {

/// Kernels on one dense row. The tensors are f32 or f64; sums are taken in f64, in a fixed order.
#define TENSORJIT_ROW_LOOPS(T)                                                                                         \
  /** y = exp(x - max) / sum(exp(x - max)) */                                                                          \
  TENSORJIT_LOOP(void, softmaxRow, const T *x, T *y, int64_t n)                                                        \
  /** y = x - max - log(sum(exp(x - max))) */                                                                          \
  TENSORJIT_LOOP(void, logSoftmaxRow, const T *x, T *y, int64_t n)                                                     \
  /** dx = y * (g - sum(g * y)) */                                                                                     \
  TENSORJIT_LOOP(void, softmaxGradRow, const T *g, const T *y, T *dx, int64_t n)                                       \
  /** dx = g - exp(y) * sum(g) */                                                                                      \
  TENSORJIT_LOOP(void, logSoftmaxGradRow, const T *g, const T *y, T *dx, int64_t n)                                    \
  /** max + log(sum(exp(x - max))) */                                                                                  \
  TENSORJIT_LOOP(T, logSumExpRow, const T *x, int64_t n)                                                               \
  TENSORJIT_LOOP(double, sumRow, const T *x, int64_t n)                                                                \
  /** dx = (exp(x - logsumexp) - uniform) * scale */                                                                   \
  TENSORJIT_LOOP(void, crossEntropyGradRow, const T *x, T logSumExp, T uniform, T scale, T *dx, int64_t n)

namespace f32 {
TENSORJIT_ROW_LOOPS(float)
}
namespace f64 {
TENSORJIT_ROW_LOOPS(double)
}

} // namespace tensorjit::eager
