#include "eager/ContractionKernels.h"
#include "eager/ContractionLibrary.h"
#include "eager/Dense.h"
#include "eager/Space.h"
#include "execute/ThreadPool.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace tensorjit {

using namespace eager;

namespace {

ConvCall describe(AttrReader &read, const Shape &x, const Shape &weight, const Shape &y) {
  ConvCall c{};
  c.isImage = x.rank() == 4;
  c.n = x[0], c.c = x[1], c.o = y[1];
  asVolume(spaceOf(x), 1, c.in);
  asVolume(spaceOf(y), 1, c.out);
  asVolume(spaceOf(weight), 1, c.kernel);
  asVolume(read.ints(), 1, c.stride);
  asVolume(read.ints(), 0, c.padding);
  asVolume(read.ints(), 1, c.dilation);
  c.groups = read.integer();
  return c;
}

int64_t volume(const int64_t (&sizes)[3]) { return sizes[0] * sizes[1] * sizes[2]; }

bool isEmpty(const ConvCall &c) { return c.n * c.c * volume(c.in) * c.o * volume(c.out) == 0; }

/// Where cell `k` of window `i` lies along an axis, or -1 outside.
int64_t cellOf(const ConvCall &c, int axis, int64_t i, int64_t k) {
  const int64_t at = i * c.stride[axis] - c.padding[axis] + k * c.dilation[axis];
  return at < c.in[axis] ? at : -1;
}

/// Calls body(row in x, row of the weight, row in y) for the rows that meet in image `n` and output channel `o`.
template <class Body> void forEachRow(const ConvCall &c, int64_t n, int64_t o, Body body) {
  const int64_t perGroup = c.c / c.groups, first = o / (c.o / c.groups) * perGroup;
  for (int64_t ic = 0; ic < perGroup; ++ic)
    for (int64_t tap = 0; tap < c.kernel[0] * c.kernel[1]; ++tap)
      for (int64_t i = 0; i < c.out[0] * c.out[1]; ++i) {
        const int64_t d = cellOf(c, 0, i / c.out[1], tap / c.kernel[1]);
        const int64_t h = cellOf(c, 1, i % c.out[1], tap % c.kernel[1]);
        if (d < 0 || h < 0) continue;
        body(((n * c.c + first + ic) * c.in[0] + d) * c.in[1] + h,
             (o * perGroup + ic) * c.kernel[0] * c.kernel[1] + tap, (n * c.o + o) * c.out[0] * c.out[1] + i);
      }
}

/// Calls body(offset in x, offset in weight, offset in y) for every product of image `n` and output channel `o`.
template <class Body> void forEachProduct(const ConvCall &c, int64_t n, int64_t o, Body body) {
  forEachRow(c, n, o, [&](int64_t row, int64_t taps, int64_t out) {
    for (int64_t k = 0; k < c.kernel[2]; ++k)
      for (int64_t j = 0; j < c.out[2]; ++j)
        if (const int64_t w = cellOf(c, 2, j, k); w >= 0)
          body(row * c.in[2] + w, taps * c.kernel[2] + k, out * c.out[2] + j);
  });
}

template <class T> void plainForward(const ConvCall &c) {
  const T *x = static_cast<T *>(c.x), *w = static_cast<T *>(c.weight), *bias = static_cast<const T *>(c.bias);
  T *y = static_cast<T *>(c.y);
  parallelFor(c.n * c.o, 1, [&](int64_t lo, int64_t hi) {
    for (int64_t p = lo; p < hi; ++p) {
      std::fill_n(y + p * volume(c.out), volume(c.out), bias ? bias[p % c.o] : T(0));
      forEachProduct(c, p / c.o, p % c.o, [&](int64_t i, int64_t j, int64_t k) { y[k] += x[i] * w[j]; });
    }
  });
}
template <class T> void plainInputGrad(const ConvCall &c) {
  T *dx = static_cast<T *>(c.x);
  const T *w = static_cast<T *>(c.weight), *g = static_cast<T *>(c.y);
  parallelFor(c.n, 1, [&](int64_t lo, int64_t hi) {
    std::fill_n(dx + lo * c.c * volume(c.in), (hi - lo) * c.c * volume(c.in), T(0));
    for (int64_t n = lo; n < hi; ++n)
      for (int64_t o = 0; o < c.o; ++o)
        forEachProduct(c, n, o, [&](int64_t i, int64_t j, int64_t k) { dx[i] += g[k] * w[j]; });
  });
}
template <class T> void plainWeightGrad(const ConvCall &c) {
  const T *x = static_cast<T *>(c.x), *g = static_cast<T *>(c.y);
  T *dw = static_cast<T *>(c.weight);
  const int64_t window = c.c / c.groups * volume(c.kernel);
  parallelFor(c.o, 1, [&](int64_t lo, int64_t hi) {
    std::fill_n(dw + lo * window, (hi - lo) * window, T(0));
    for (int64_t o = lo; o < hi; ++o)
      for (int64_t n = 0; n < c.n; ++n)
        forEachProduct(c, n, o, [&](int64_t i, int64_t j, int64_t k) { dw[j] += g[k] * x[i]; });
  });
}

using LibraryConv = bool (*ContractionLibrary::*)(const ConvCall &);

void run(const EagerCall &call, const ConvCall &c, LibraryConv library, void (*f32)(const ConvCall &),
         void (*f64)(const ConvCall &)) {
  const TensorView &out = call.results[0];
  if (isEmpty(c)) { // nothing to add up; only a gradient can still have elements
    std::memset(out.data, 0, static_cast<size_t>(out.sizes.numel()) * itemSize(out.dtype));
    return;
  }
  const ContractionLibrary *l = out.dtype == DType::F32 ? contractionLibrary() : nullptr;
  if (l && (l->*library)(c)) return;
  out.dtype == DType::F32 ? f32(c) : f64(c);
}

void *memoryOf(const Dense &d) { return const_cast<void *>(d.data()); }

} // namespace

static void conv(const EagerCall &call) {
  AttrReader read(call.attrs);
  ConvCall c = describe(read, call.operands[0].sizes, call.operands[1].sizes, call.results[0].sizes);
  const Dense x(call.operands[0]), w(call.operands[1]);
  std::optional<Dense> bias;
  if (call.operands.size() > 2 && call.operands[2].data) bias.emplace(call.operands[2]);
  c.x = memoryOf(x), c.weight = memoryOf(w), c.y = call.results[0].data;
  c.bias = bias ? bias->data() : nullptr;
  run(call, c, &ContractionLibrary::conv, plainForward<float>, plainForward<double>);
}

static void convInputGrad(const EagerCall &call) {
  AttrReader read(call.attrs);
  read.ints();
  ConvCall c = describe(read, call.results[0].sizes, call.operands[1].sizes, call.operands[0].sizes);
  const Dense g(call.operands[0]), w(call.operands[1]);
  c.x = call.results[0].data, c.weight = memoryOf(w), c.y = memoryOf(g);
  run(call, c, &ContractionLibrary::convInputGrad, plainInputGrad<float>, plainInputGrad<double>);
}

static void convWeightGrad(const EagerCall &call) {
  AttrReader read(call.attrs);
  read.ints();
  ConvCall c = describe(read, call.operands[1].sizes, call.results[0].sizes, call.operands[0].sizes);
  const Dense g(call.operands[0]), x(call.operands[1]);
  c.x = memoryOf(x), c.weight = call.results[0].data, c.y = memoryOf(g);
  run(call, c, &ContractionLibrary::convWeightGrad, plainWeightGrad<float>, plainWeightGrad<double>);
}

void eagerConv2d(const EagerCall &call) { conv(call); }
void eagerConv2dInputGrad(const EagerCall &call) { convInputGrad(call); }
void eagerConv2dWeightGrad(const EagerCall &call) { convWeightGrad(call); }
void eagerConv3d(const EagerCall &call) { conv(call); }
void eagerConv3dInputGrad(const EagerCall &call) { convInputGrad(call); }
void eagerConv3dWeightGrad(const EagerCall &call) { convWeightGrad(call); }

} // namespace tensorjit
