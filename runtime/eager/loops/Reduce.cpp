#include "eager/loops/Reduce.h"
#include "eager/loops/Sum.h"

namespace tensorjit::eager::TENSORJIT_LEVEL {

namespace {

template <class T> struct Key {
  using Int = T;
  static Int of(T x, bool, bool) { return x; }
};
template <class F, class I> struct FloatKey {
  using Int = I;
  static Int of(F x, bool least, bool mergeZeros) {
    constexpr I most = static_cast<I>(~(I(1) << (8 * sizeof(I) - 1)));
    I bits;
    __builtin_memcpy(&bits, &x, sizeof x);
    I key = bits ^ ((bits >> (8 * sizeof(I) - 1)) & most); // negative numbers count down
    if (mergeZeros) key = x == 0 ? 0 : key;
    return x != x ? (least ? static_cast<I>(-most - 1) : most) : key;
  }
};
template <> struct Key<float> : FloatKey<float, int32_t> {};
template <> struct Key<double> : FloatKey<double, int64_t> {};

template <class T, bool Least, bool Merge> int64_t extreme(const T *x, int64_t n, int64_t *at) {
  using Int = typename Key<T>::Int;
  Int best = Key<T>::of(x[0], Least, Merge);
  for (int64_t i = 1; i < n; ++i) {
    const Int k = Key<T>::of(x[i], Least, Merge);
    best = (Least ? k < best : k > best) ? k : best;
  }
  if (Merge)
    for (int64_t i = 0; i < n; ++i)
      if (Key<T>::of(x[i], Least, Merge) == best) {
        *at = i;
        break;
      }
  return best;
}

template <class T> int64_t extremeOf(const void *data, int64_t n, bool least, int64_t *at) {
  const T *x = static_cast<const T *>(data);
  if (at) return least ? extreme<T, true, true>(x, n, at) : extreme<T, false, true>(x, n, at);
  return least ? extreme<T, true, false>(x, n, at) : extreme<T, false, false>(x, n, at);
}

} // namespace

double sumF32(const float *x, int64_t n) { return sumRun(x, n); }
double sumF64(const double *x, int64_t n) { return sumRun(x, n); }

void addRowsF32(double *acc, const float *x, int64_t rows, int64_t stride, int64_t columns) {
  constexpr int64_t block = 256;
  for (int64_t c = 0; c < columns; c += block) {
    const int64_t m = columns - c < block ? columns - c : block;
    float part[block] = {};
    for (int64_t r = 0; r < rows; ++r) {
      const float *row = x + r * stride + c;
      for (int64_t j = 0; j < m; ++j) part[j] += row[j];
    }
    for (int64_t j = 0; j < m; ++j) acc[c + j] += part[j];
  }
}

int64_t extremeKey(DType type, const void *x, int64_t n, bool least, int64_t *at) {
  switch (type) {
  case DType::Bool:
  case DType::U8: return extremeOf<uint8_t>(x, n, least, at);
  case DType::I8: return extremeOf<int8_t>(x, n, least, at);
  case DType::I32: return extremeOf<int32_t>(x, n, least, at);
  case DType::I64: return extremeOf<int64_t>(x, n, least, at);
  case DType::F32: return extremeOf<float>(x, n, least, at);
  default: return extremeOf<double>(x, n, least, at);
  }
}

bool hasByte(const unsigned char *x, int64_t n, unsigned char byte) {
  unsigned char found = 0;
  for (int64_t i = 0; i < n; ++i) found |= x[i] == byte;
  return found;
}

} // namespace tensorjit::eager::TENSORJIT_LEVEL
