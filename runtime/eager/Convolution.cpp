#include "eager/ContractionKernels.h"
#include "eager/ContractionLibrary.h"
#include "eager/Dense.h"
#include "execute/ThreadPool.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace tensorjit {

using namespace eager;

namespace {

ConvCall describe(AttrReader &read, const Shape &x, const Shape &weight, const Shape &y) {
  ConvCall c{};
  c.n = x[0], c.c = x[1], c.h = x[2], c.w = x[3];
  c.o = y[1], c.outH = y[2], c.outW = y[3];
  for (auto *pair : {&c.stride, &c.padding, &c.dilation}) {
    const Shape s = read.ints();
    (*pair)[0] = s[0];
    (*pair)[1] = s[1];
  }
  c.groups = read.integer();
  c.kernel[0] = weight[2];
  c.kernel[1] = weight[3];
  return c;
}

bool isEmpty(const ConvCall &c) { return c.n * c.c * c.h * c.w * c.o * c.outH * c.outW == 0; }

/// Calls body(offset in x, offset in weight, offset in y) for every product of image `n` and output channel `o`.
template <class Body> void forEachProduct(const ConvCall &c, int64_t n, int64_t o, Body body) {
  const int64_t perGroup = c.c / c.groups, first = o / (c.o / c.groups) * perGroup;
  for (int64_t ic = 0; ic < perGroup; ++ic)
    for (int64_t kh = 0; kh < c.kernel[0]; ++kh)
      for (int64_t kw = 0; kw < c.kernel[1]; ++kw)
        for (int64_t i = 0; i < c.outH; ++i) {
          const int64_t r = i * c.stride[0] - c.padding[0] + kh * c.dilation[0];
          if (r < 0 || r >= c.h) continue;
          for (int64_t j = 0; j < c.outW; ++j) {
            const int64_t s = j * c.stride[1] - c.padding[1] + kw * c.dilation[1];
            if (s < 0 || s >= c.w) continue;
            body(((n * c.c + first + ic) * c.h + r) * c.w + s,
                 ((o * perGroup + ic) * c.kernel[0] + kh) * c.kernel[1] + kw,
                 ((n * c.o + o) * c.outH + i) * c.outW + j);
          }
        }
}

template <class T> void plainForward(const ConvCall &c) {
  const T *x = static_cast<T *>(c.x), *w = static_cast<T *>(c.weight), *bias = static_cast<const T *>(c.bias);
  T *y = static_cast<T *>(c.y);
  parallelFor(c.n * c.o, 1, [&](int64_t lo, int64_t hi) {
    for (int64_t p = lo; p < hi; ++p) {
      std::fill_n(y + p * c.outH * c.outW, c.outH * c.outW, bias ? bias[p % c.o] : T(0));
      forEachProduct(c, p / c.o, p % c.o, [&](int64_t i, int64_t j, int64_t k) { y[k] += x[i] * w[j]; });
    }
  });
}
template <class T> void plainInputGrad(const ConvCall &c) {
  T *dx = static_cast<T *>(c.x);
  const T *w = static_cast<T *>(c.weight), *g = static_cast<T *>(c.y);
  parallelFor(c.n, 1, [&](int64_t lo, int64_t hi) {
    std::fill_n(dx + lo * c.c * c.h * c.w, (hi - lo) * c.c * c.h * c.w, T(0));
    for (int64_t n = lo; n < hi; ++n)
      for (int64_t o = 0; o < c.o; ++o)
        forEachProduct(c, n, o, [&](int64_t i, int64_t j, int64_t k) { dx[i] += g[k] * w[j]; });
  });
}
template <class T> void plainWeightGrad(const ConvCall &c) {
  const T *x = static_cast<T *>(c.x), *g = static_cast<T *>(c.y);
  T *dw = static_cast<T *>(c.weight);
  const int64_t window = c.c / c.groups * c.kernel[0] * c.kernel[1];
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

void eagerConv2d(const EagerCall &call) {
  AttrReader read(call.attrs);
  ConvCall c = describe(read, call.operands[0].sizes, call.operands[1].sizes, call.results[0].sizes);
  const Dense x(call.operands[0]), w(call.operands[1]);
  std::optional<Dense> bias;
  if (call.operands.size() > 2 && call.operands[2].data) bias.emplace(call.operands[2]);
  c.x = memoryOf(x), c.weight = memoryOf(w), c.y = call.results[0].data;
  c.bias = bias ? bias->data() : nullptr;
  run(call, c, &ContractionLibrary::conv, plainForward<float>, plainForward<double>);
}

void eagerConv2dInputGrad(const EagerCall &call) {
  AttrReader read(call.attrs);
  read.ints();
  ConvCall c = describe(read, call.results[0].sizes, call.operands[1].sizes, call.operands[0].sizes);
  const Dense g(call.operands[0]), w(call.operands[1]);
  c.x = call.results[0].data, c.weight = memoryOf(w), c.y = memoryOf(g);
  run(call, c, &ContractionLibrary::convInputGrad, plainInputGrad<float>, plainInputGrad<double>);
}

void eagerConv2dWeightGrad(const EagerCall &call) {
  AttrReader read(call.attrs);
  read.ints();
  ConvCall c = describe(read, call.operands[1].sizes, call.results[0].sizes, call.operands[0].sizes);
  const Dense g(call.operands[0]), x(call.operands[1]);
  c.x = memoryOf(x), c.weight = call.results[0].data, c.y = memoryOf(g);
  run(call, c, &ContractionLibrary::convWeightGrad, plainWeightGrad<float>, plainWeightGrad<double>);
}

} // namespace tensorjit
