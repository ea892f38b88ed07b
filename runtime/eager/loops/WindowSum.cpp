#include "eager/loops/WindowSum.h"
#include "eager/loops/Sum.h"

namespace tensorjit::eager::TENSORJIT_LEVEL {
namespace {

int64_t floorDiv(int64_t a, int64_t b) { return a / b - (a % b < 0); }
int64_t atLeast(int64_t a, int64_t b) { return a > b ? a : b; }
int64_t atMost(int64_t a, int64_t b) { return a < b ? a : b; }

/// Windows [lo, hi) along the width whose cell `k` lies inside, and the place of that cell in window `lo`.
struct Span {
  int64_t lo, hi, at;
};
Span spanOf(const SumWindow &s, int64_t k) {
  const int64_t offset = k * s.dilation[2] - s.low[2], stride = s.stride[2];
  const int64_t lo = atLeast(0, -floorDiv(offset, stride)); // the first window with lo * stride + offset >= 0
  const int64_t hi = atMost(s.out[2], floorDiv(s.in[2] - 1 - offset, stride) + 1);
  return {lo, hi, lo * stride + offset};
}

template <class T, class Sum> void addRow(const T *row, const SumWindow &s, Sum *sums) {
  if (s.kernel[2] >= 16 && s.dilation[2] == 1) { // long runs
    for (int64_t j = 0; j < s.out[2]; ++j) {
      const int64_t first = j * s.stride[2] - s.low[2], lo = atLeast(first, 0);
      const int64_t hi = atMost(first + s.kernel[2], s.in[2]);
      if (lo < hi) sums[j] += static_cast<Sum>(sumLong(row + lo, hi - lo));
    }
    return;
  }
  for (int64_t k = 0; k < s.kernel[2]; ++k) {
    const Span span = spanOf(s, k);
    const int64_t n = span.hi - span.lo;
    if (n <= 0) continue;
    const T *x = row + span.at;
    Sum *y = sums + span.lo;
    if (s.stride[2] == 1)
      for (int64_t j = 0; j < n; ++j) y[j] += static_cast<Sum>(x[j]);
    else if (s.stride[2] == 2)
      for (int64_t j = 0; j < n; ++j) y[j] += static_cast<Sum>(x[2 * j]);
    else
      for (int64_t j = 0; j < n; ++j) y[j] += static_cast<Sum>(x[j * s.stride[2]]);
  }
}

template <class T, class Sum> void spreadRow(const T *g, const SumWindow &s, Sum *sums) {
  for (int64_t k = 0; k < s.kernel[2]; ++k) {
    const Span span = spanOf(s, k);
    const int64_t n = span.hi - span.lo;
    if (n <= 0) continue;
    const T *from = g + span.lo;
    Sum *to = sums + span.at;
    if (s.stride[2] == 1)
      for (int64_t j = 0; j < n; ++j) to[j] += static_cast<Sum>(from[j]);
    else
      for (int64_t j = 0; j < n; ++j) to[j * s.stride[2]] += static_cast<Sum>(from[j]);
  }
}

constexpr int64_t longestRow = 1024; ///< of sums on the stack

/// Calls body(row of windows, row of cells) for each pair of rows that meet in row `i` of depth `d` of the result.
template <class Body> void forEachInputRow(const SumWindow &s, int64_t d, int64_t i, Body body) {
  for (int64_t kd = 0; kd < s.kernel[0]; ++kd) {
    const int64_t a = d * s.stride[0] - s.low[0] + kd * s.dilation[0];
    if (a < 0 || a >= s.in[0]) continue;
    for (int64_t kh = 0; kh < s.kernel[1]; ++kh) {
      const int64_t b = i * s.stride[1] - s.low[1] + kh * s.dilation[1];
      if (b >= 0 && b < s.in[1]) body(a * s.in[1] + b);
    }
  }
}

/// The window whose cell `k` lies at `cell`, or -1.
int64_t windowAt(const SumWindow &s, int axis, int64_t cell, int64_t k) {
  const int64_t first = cell + s.low[axis] - k * s.dilation[axis];
  if (first < 0 || first % s.stride[axis] != 0 || first / s.stride[axis] >= s.out[axis]) return -1;
  return first / s.stride[axis];
}
template <class Body> void forEachWindowRow(const SumWindow &s, int64_t d, int64_t i, Body body) {
  for (int64_t kd = 0; kd < s.kernel[0]; ++kd) {
    const int64_t a = windowAt(s, 0, d, kd);
    for (int64_t kh = 0; a >= 0 && kh < s.kernel[1]; ++kh)
      if (const int64_t b = windowAt(s, 1, i, kh); b >= 0) body(a * s.out[1] + b);
  }
}

/// Rows of `width` sums, which `fill(depth, row, sums)` adds up, into y.
template <class Sum, class T, class Fill> void rows(int64_t depth, int64_t height, int64_t width, T *y, Fill fill) {
  Sum onStack[longestRow], *sums = width <= longestRow ? onStack : new Sum[width];
  for (int64_t d = 0; d < depth; ++d)
    for (int64_t i = 0; i < height; ++i, y += width) {
      for (int64_t j = 0; j < width; ++j) sums[j] = 0;
      fill(d, i, sums);
      for (int64_t j = 0; j < width; ++j) y[j] = static_cast<T>(sums[j]);
    }
  if (sums != onStack) delete[] sums;
}

template <class T, class Sum> void forward(const void *data, const SumWindow &s, void *result) {
  const T *x = static_cast<const T *>(data);
  rows<Sum>(s.out[0], s.out[1], s.out[2], static_cast<T *>(result), [&](int64_t d, int64_t i, Sum *sums) {
    forEachInputRow(s, d, i, [&](int64_t row) { addRow(x + row * s.in[2], s, sums); });
  });
}

template <class T, class Sum> void backward(const void *data, const SumWindow &s, void *result) {
  const T *g = static_cast<const T *>(data);
  rows<Sum>(s.in[0], s.in[1], s.in[2], static_cast<T *>(result), [&](int64_t d, int64_t i, Sum *sums) {
    forEachWindowRow(s, d, i, [&](int64_t row) { spreadRow(g + row * s.out[2], s, sums); });
  });
}

/// Beyond this many cells a chain of f32 additions would lose too much.
bool isLong(const SumWindow &s) { return s.kernel[0] * s.kernel[1] * s.kernel[2] > 128; }

} // namespace

void windowSumVolume(DType type, const void *x, const SumWindow &window, void *y) {
  if (type == DType::F64) forward<double, double>(x, window, y);
  else if (isLong(window)) forward<float, double>(x, window, y);
  else forward<float, float>(x, window, y);
}

void windowSumBackwardVolume(DType type, const void *g, const SumWindow &window, void *dx) {
  if (type == DType::F64) backward<double, double>(g, window, dx);
  else if (isLong(window)) backward<float, double>(g, window, dx);
  else backward<float, float>(g, window, dx);
}

} // namespace tensorjit::eager::TENSORJIT_LEVEL
