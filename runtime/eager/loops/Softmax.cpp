#include "eager/loops/Softmax.h"
#include "eager/ScalarAtoms.h"
#include "eager/loops/Sum.h"

namespace tensorjit::eager {
namespace TENSORJIT_LEVEL {
namespace {

/// The largest element; NaN is passed over and reaches the result through exp.
template <class T> T rowMax(const T *x, int64_t n) {
  using V = typename Lanes<T>::V;
  constexpr int64_t width = sizeof(V) / sizeof(T);
  T m = -static_cast<T>(__builtin_inf());
  int64_t i = 0;
  if (n >= width) {
    V v = loadLanes(x);
    for (; i + width <= n; i += width) {
      const V w = loadLanes(x + i);
      v = w > v ? w : v;
    }
    for (int64_t l = 0; l < width; ++l) m = v[l] > m ? v[l] : m;
  }
  for (; i < n; ++i) m = x[i] > m ? x[i] : m;
  return m;
}

/// y = exp(x - m), and its sum.
template <class T> double expInto(const T *x, T m, T *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = scalar::exp(x[i] - m);
  return sumLong(y, n);
}

/// The sum alone, by blocks of a buffer.
template <class T> double sumExp(const T *x, T m, int64_t n) {
  constexpr int64_t block = 1024;
  T y[block];
  double sum = 0;
  for (int64_t i = 0; i < n; i += block) sum += expInto(x + i, m, y, n - i < block ? n - i : block);
  return sum;
}

template <class T> T logOf(double sum) { return static_cast<T>(__builtin_log(sum)); }

template <class T> void softmax(const T *x, T *y, int64_t n) {
  const T sum = static_cast<T>(expInto(x, rowMax(x, n), y, n));
  for (int64_t i = 0; i < n; ++i) y[i] = y[i] / sum;
}
template <class T> void logSoftmax(const T *x, T *y, int64_t n) {
  const T m = rowMax(x, n), l = logOf<T>(sumExp(x, m, n));
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] - m - l;
}
template <class T> void softmaxGrad(const T *g, const T *y, T *dx, int64_t n) {
  const T s = static_cast<T>(dotLong(g, y, n));
  for (int64_t i = 0; i < n; ++i) dx[i] = y[i] * (g[i] - s);
}
template <class T> void logSoftmaxGrad(const T *g, const T *y, T *dx, int64_t n) {
  const T s = static_cast<T>(sumLong(g, n));
  for (int64_t i = 0; i < n; ++i) dx[i] = g[i] - scalar::exp(y[i]) * s;
}
template <class T> T logSumExp(const T *x, int64_t n) {
  const T m = rowMax(x, n);
  return m + logOf<T>(sumExp(x, m, n));
}
template <class T> void crossEntropyGrad(const T *x, T lse, T uniform, T scale, T *dx, int64_t n) {
  for (int64_t i = 0; i < n; ++i) dx[i] = (scalar::exp(x[i] - lse) - uniform) * scale;
}

} // namespace
} // namespace TENSORJIT_LEVEL

#define TENSORJIT_DEFINE_ROW_LOOPS(T)                                                                                  \
  namespace TENSORJIT_LEVEL {                                                                                          \
  namespace rows = eager::TENSORJIT_LEVEL;                                                                             \
  void softmaxRow(const T *x, T *y, int64_t n) { rows::softmax(x, y, n); }                                             \
  void logSoftmaxRow(const T *x, T *y, int64_t n) { rows::logSoftmax(x, y, n); }                                       \
  void softmaxGradRow(const T *g, const T *y, T *dx, int64_t n) { rows::softmaxGrad(g, y, dx, n); }                    \
  void logSoftmaxGradRow(const T *g, const T *y, T *dx, int64_t n) { rows::logSoftmaxGrad(g, y, dx, n); }              \
  T logSumExpRow(const T *x, int64_t n) { return rows::logSumExp(x, n); }                                              \
  double sumRow(const T *x, int64_t n) { return rows::sumLong(x, n); }                                                 \
  void crossEntropyGradRow(const T *x, T lse, T uniform, T scale, T *dx, int64_t n) {                                  \
    rows::crossEntropyGrad(x, lse, uniform, scale, dx, n);                                                             \
  }                                                                                                                    \
  }

namespace f32 {
TENSORJIT_DEFINE_ROW_LOOPS(float)
}
namespace f64 {
TENSORJIT_DEFINE_ROW_LOOPS(double)
}

} // namespace tensorjit::eager
