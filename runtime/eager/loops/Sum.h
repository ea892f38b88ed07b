#pragma once
/// Sums of dense runs, for the files of this folder.
#include <cstdint>

namespace tensorjit::eager::TENSORJIT_LEVEL {
namespace {

template <class T> struct Lanes;
template <> struct Lanes<float> { typedef float V __attribute__((vector_size(64))); };
template <> struct Lanes<double> { typedef double V __attribute__((vector_size(64))); };

/// Sum of value(i) for i in [0, n), n at most 4096: four vectors of lanes, then a tree over them; the rest is added
/// last. One order at every CPU level. `load(i)` gives a vector of the values from i on.
template <class T, class Load, class Value> double sumLanes(int64_t n, Load load, Value value) {
  using V = typename Lanes<T>::V;
  constexpr int64_t width = sizeof(V) / sizeof(T);
  V acc[4] = {};
  int64_t i = 0;
  for (; i + 4 * width <= n; i += 4 * width)
    for (int64_t k = 0; k < 4; ++k) acc[k] += load(i + k * width);
  V all = (acc[0] + acc[1]) + (acc[2] + acc[3]);
  double lane[width], rest = 0;
  for (int64_t l = 0; l < width; ++l) lane[l] = all[l];
  for (int64_t half = width / 2; half > 0; half /= 2)
    for (int64_t l = 0; l < half; ++l) lane[l] += lane[l + half];
  for (; i < n; ++i) rest += value(i);
  return lane[0] + rest;
}

template <class T> typename Lanes<T>::V loadLanes(const T *x) {
  typename Lanes<T>::V v;
  __builtin_memcpy(&v, x, sizeof v);
  return v;
}

template <class T> double sumRun(const T *x, int64_t n) {
  return sumLanes<T>(
      n, [&](int64_t i) { return loadLanes(x + i); }, [&](int64_t i) { return x[i]; });
}

/// Any length: runs of 4096 added in f64.
template <class T> double sumLong(const T *x, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; i += 4096) sum += sumRun(x + i, n - i < 4096 ? n - i : 4096);
  return sum;
}
template <class T> double dotLong(const T *x, const T *y, int64_t n) {
  double sum = 0;
  for (int64_t at = 0; at < n; at += 4096) {
    const T *a = x + at, *b = y + at;
    sum += sumLanes<T>(
        n - at < 4096 ? n - at : 4096, [&](int64_t i) { return loadLanes(a + i) * loadLanes(b + i); },
        [&](int64_t i) { return a[i] * b[i]; });
  }
  return sum;
}

} // namespace
} // namespace tensorjit::eager::TENSORJIT_LEVEL
