#include "eager/loops/MaxPool.h"

namespace tensorjit::eager::TENSORJIT_LEVEL {
namespace {

/// Whether b beats a winner that stands before it.
template <class T> bool wins(T b, T a) { return (b > a) | ((b != b) & (a == a)); }

/// Winners of `n` windows of 2x2 side by side: four candidates each and no bounds. `first`: position of the first
/// window's corner in the plane.
template <class T> void pairs(const T *top, int64_t w, int64_t first, int64_t n, T *y, int64_t *indices) {
  for (int64_t j = 0; j < n; ++j) {
    const T corner[4] = {top[2 * j], top[2 * j + 1], top[w + 2 * j], top[w + 2 * j + 1]};
    int64_t at = 0;
    for (int64_t k = 1; k < 4; ++k) at = wins(corner[k], corner[at]) ? k : at;
    y[j] = corner[at];
    indices[j] = first + 2 * j + (at & 1) + (at & 2 ? w : 0);
  }
}

typedef float Floats __attribute__((vector_size(64)));
typedef int32_t Ints __attribute__((vector_size(64)));
typedef int32_t HalfInts __attribute__((vector_size(32)));
typedef int64_t Longs __attribute__((vector_size(64)));
constexpr int64_t block = 16;

Floats load(const float *p) {
  Floats v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}

void keep(Floats candidate, Ints place, Floats &v, Ints &at) {
  const Ints won = (candidate > v) | ((candidate != candidate) & (v == v));
  v = won ? candidate : v;
  at = won ? place : at;
}

Floats evens(Floats a, Floats b) {
  return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
}
Floats odds(Floats a, Floats b) {
  return __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
}

/// `pairs` for 16 windows. GCC does not vectorise that loop: the compares are of 32 bits, the positions of 64.
void pairBlock(const float *top, int64_t w, int64_t first, float *y, int64_t *indices) {
  constexpr Ints even = {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30}, odd = even + 1;
  const Floats t0 = load(top), t1 = load(top + block), b0 = load(top + w), b1 = load(top + w + block);
  Floats v = evens(t0, t1);
  Ints at = even;
  keep(odds(t0, t1), odd, v, at);
  keep(evens(b0, b1), even + static_cast<int32_t>(w), v, at);
  keep(odds(b0, b1), odd + static_cast<int32_t>(w), v, at);
  __builtin_memcpy(y, &v, sizeof v);
  HalfInts half[2];
  __builtin_memcpy(half, &at, sizeof at);
  for (int k = 0; k < 2; ++k) {
    const Longs wide = __builtin_convertvector(half[k], Longs) + first;
    __builtin_memcpy(indices + k * (block / 2), &wide, sizeof wide);
  }
}

/// Rows are often shorter than a vector, so a block of 16 windows runs over the row's end where the memory allows it;
/// what it leaves there is written again by the next row.
template <class T>
void pairPlane(const T *x, int64_t h, int64_t w, T *y, int64_t *indices, int64_t outH, int64_t outW) {
  for (int64_t i = 0; i < outH; ++i)
    for (int64_t j = 0; j < outW; j += block) {
      const int64_t in = 2 * i * w + 2 * j, out = i * outW + j;
      if constexpr (static_cast<T>(0.5) != 0 && sizeof(T) == 4)
        if (in + w + 2 * block <= h * w && out + block <= outH * outW) {
          pairBlock(x + in, w, in, y + out, indices + out);
          continue;
        }
      pairs(x + in, w, in, outW - j < block ? outW - j : block, y + out, indices + out);
    }
}

/// The winner of the window whose first cell lies at `first`, which may be outside.
template <class T> int64_t winner(const T *x, const PoolWindow &p, const int64_t (&in)[3], const int64_t (&first)[3]) {
  int64_t best = -1;
  for (int64_t kd = 0; kd < p.kernel[0]; ++kd) {
    const int64_t d = first[0] + kd * p.dilation[0];
    if (d < 0 || d >= in[0]) continue;
    for (int64_t kh = 0; kh < p.kernel[1]; ++kh) {
      const int64_t h = first[1] + kh * p.dilation[1];
      if (h < 0 || h >= in[1]) continue;
      for (int64_t kw = 0; kw < p.kernel[2]; ++kw) {
        const int64_t w = first[2] + kw * p.dilation[2];
        if (w < 0 || w >= in[2]) continue;
        const int64_t at = (d * in[1] + h) * in[2] + w;
        if (best < 0 || wins(x[at], x[best])) best = at;
      }
    }
  }
  return best;
}

template <class T>
void volume(const void *data, const PoolWindow &p, const PoolSizes &s, void *values, int64_t *indices) {
  const T *x = static_cast<const T *>(data);
  T *y = static_cast<T *>(values);
  const auto &in = s.in, &out = s.out;
  auto both = [](const int64_t(&v)[3], int64_t n) { return v[1] == n && v[2] == n; };
  if (in[0] == 1 && both(p.kernel, 2) && both(p.stride, 2) && both(p.padding, 0) && both(p.dilation, 1) &&
      p.kernel[0] == 1 && 2 * out[1] <= in[1] && 2 * out[2] <= in[2])
    return pairPlane(x, in[1], in[2], y, indices, out[1], out[2]);
  for (int64_t d = 0, at = 0; d < out[0]; ++d)
    for (int64_t i = 0; i < out[1]; ++i)
      for (int64_t j = 0; j < out[2]; ++j, ++at) {
        const int64_t first[3] = {d * p.stride[0] - p.padding[0], i * p.stride[1] - p.padding[1],
                                  j * p.stride[2] - p.padding[2]};
        indices[at] = winner(x, p, in, first);
        y[at] = x[indices[at]];
      }
}

} // namespace

void maxPoolVolume(DType type, const void *x, const PoolWindow &window, const PoolSizes &sizes, void *y,
                   int64_t *indices) {
  switch (type) {
  case DType::U8: return volume<uint8_t>(x, window, sizes, y, indices);
  case DType::I8: return volume<int8_t>(x, window, sizes, y, indices);
  case DType::I32: return volume<int32_t>(x, window, sizes, y, indices);
  case DType::I64: return volume<int64_t>(x, window, sizes, y, indices);
  case DType::F32: return volume<float>(x, window, sizes, y, indices);
  default: return volume<double>(x, window, sizes, y, indices);
  }
}

} // namespace tensorjit::eager::TENSORJIT_LEVEL
