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

template <class T>
void plane(const void *data, int64_t h, int64_t w, const PoolWindow &p, void *values, int64_t *indices, int64_t outH,
           int64_t outW) {
  const T *x = static_cast<const T *>(data);
  T *y = static_cast<T *>(values);
  auto both = [](const int64_t(&v)[2], int64_t n) { return v[0] == n && v[1] == n; };
  if (both(p.kernel, 2) && both(p.stride, 2) && both(p.padding, 0) && both(p.dilation, 1) && 2 * outH <= h &&
      2 * outW <= w)
    return pairPlane(x, h, w, y, indices, outH, outW);
  for (int64_t i = 0; i < outH; ++i)
    for (int64_t j = 0; j < outW; ++j) {
      int64_t best = -1;
      for (int64_t ki = 0; ki < p.kernel[0]; ++ki) {
        const int64_t r = i * p.stride[0] - p.padding[0] + ki * p.dilation[0];
        if (r < 0 || r >= h) continue;
        for (int64_t kj = 0; kj < p.kernel[1]; ++kj) {
          const int64_t c = j * p.stride[1] - p.padding[1] + kj * p.dilation[1];
          if (c < 0 || c >= w) continue;
          const int64_t at = r * w + c;
          if (best < 0 || wins(x[at], x[best])) best = at;
        }
      }
      y[i * outW + j] = x[best];
      indices[i * outW + j] = best;
    }
}

} // namespace

void maxPoolPlane(DType type, const void *x, int64_t h, int64_t w, const PoolWindow &window, void *y, int64_t *indices,
                  int64_t outH, int64_t outW) {
  switch (type) {
  case DType::U8: return plane<uint8_t>(x, h, w, window, y, indices, outH, outW);
  case DType::I8: return plane<int8_t>(x, h, w, window, y, indices, outH, outW);
  case DType::I32: return plane<int32_t>(x, h, w, window, y, indices, outH, outW);
  case DType::I64: return plane<int64_t>(x, h, w, window, y, indices, outH, outW);
  case DType::F32: return plane<float>(x, h, w, window, y, indices, outH, outW);
  default: return plane<double>(x, h, w, window, y, indices, outH, outW);
  }
}

} // namespace tensorjit::eager::TENSORJIT_LEVEL
