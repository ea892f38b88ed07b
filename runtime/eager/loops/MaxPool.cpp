#include "eager/loops/MaxPool.h"

namespace tensorjit::eager::TENSORJIT_LEVEL {
namespace {

/// Whether b beats a winner that stands before it.
template <class T> bool wins(T b, T a) { return (b > a) | ((b != b) & (a == a)); }

/// The common case, windows of 2x2 side by side: four candidates a window and no bounds.
template <class T>
void pairs(const T *x, int64_t w, T *y, int64_t *indices, int64_t outH, int64_t outW) {
  constexpr int64_t block = 64;
  for (int64_t i = 0; i < outH; ++i) {
    const T *top = x + 2 * i * w, *bottom = top + w;
    for (int64_t j0 = 0; j0 < outW; j0 += block) {
      const int64_t m = outW - j0 < block ? outW - j0 : block;
      int32_t place[block];
      for (int64_t j = 0; j < m; ++j) {
        const int64_t c = 2 * (j0 + j);
        T v = top[c];
        int32_t at = 0;
        const T b = top[c + 1], d = bottom[c], e = bottom[c + 1];
        at = wins(b, v) ? 1 : at;
        v = wins(b, v) ? b : v;
        at = wins(d, v) ? 2 : at;
        v = wins(d, v) ? d : v;
        at = wins(e, v) ? 3 : at;
        v = wins(e, v) ? e : v;
        y[i * outW + j0 + j] = v;
        place[j] = at;
      }
      for (int64_t j = 0; j < m; ++j)
        indices[i * outW + j0 + j] = (2 * i + (place[j] >> 1)) * w + 2 * (j0 + j) + (place[j] & 1);
    }
  }
}

template <class T>
void plane(const void *data, int64_t h, int64_t w, const PoolWindow &p, void *values, int64_t *indices, int64_t outH,
           int64_t outW) {
  const T *x = static_cast<const T *>(data);
  T *y = static_cast<T *>(values);
  auto both = [](const int64_t (&v)[2], int64_t n) { return v[0] == n && v[1] == n; };
  if (both(p.kernel, 2) && both(p.stride, 2) && both(p.padding, 0) && both(p.dilation, 1) && 2 * outH <= h &&
      2 * outW <= w)
    return pairs(x, w, y, indices, outH, outW);
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
