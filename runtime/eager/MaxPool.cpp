#include "eager/loops/MaxPool.h"
#include "eager/Dense.h"
#include "eager/WindowKernels.h"
#include "execute/ThreadPool.h"

#include <algorithm>

namespace tensorjit {

using namespace eager;

static PoolWindow readWindow(AttrReader &read) {
  PoolWindow p;
  for (auto *pair : {&p.kernel, &p.stride, &p.padding, &p.dilation}) {
    const Shape s = read.ints();
    (*pair)[0] = s[0];
    (*pair)[1] = s[1];
  }
  return p;
}

static int64_t planesPerThread(int64_t planeSize) {
  return std::max<int64_t>(1, (16 << 10) / std::max<int64_t>(1, planeSize));
}

void eagerMaxPool2d(const EagerCall &call) {
  AttrReader read(call.attrs);
  const PoolWindow window = readWindow(read);
  const TensorView &x = call.operands[0], &y = call.results[0];
  if (y.sizes.numel() == 0) return;
  const Dense dense(x);
  const int64_t h = x.sizes[2], w = x.sizes[3], outH = y.sizes[2], outW = y.sizes[3],
                item = static_cast<int64_t>(itemSize(x.dtype));
  int64_t *indices = static_cast<int64_t *>(call.results[1].data);
  parallelFor(y.sizes[0] * y.sizes[1], planesPerThread(h * w), [&](int64_t lo, int64_t hi) {
    for (int64_t p = lo; p < hi; ++p)
      maxPoolPlaneBest(x.dtype, dense.as<char>() + p * h * w * item, h, w, window,
                       static_cast<char *>(y.data) + p * outH * outW * item, indices + p * outH * outW, outH, outW);
  });
}

template <class T> static void addAtWinners(const EagerCall &call) {
  const Dense grad(call.operands[0]), indices(call.operands[1]);
  const TensorView &y = call.results[0];
  const int64_t plane = y.sizes[2] * y.sizes[3], windows = call.operands[0].sizes[2] * call.operands[0].sizes[3];
  parallelFor(y.sizes[0] * y.sizes[1], planesPerThread(plane), [&](int64_t lo, int64_t hi) {
    for (int64_t p = lo; p < hi; ++p) {
      T *dx = static_cast<T *>(y.data) + p * plane;
      const T *g = grad.as<T>() + p * windows;
      const int64_t *at = indices.as<int64_t>() + p * windows;
      std::fill_n(dx, plane, T(0));
      for (int64_t i = 0; i < windows; ++i)
        if (at[i] >= 0 && at[i] < plane) dx[at[i]] += g[i];
    }
  });
}

void eagerMaxPool2dGrad(const EagerCall &call) {
  switch (call.results[0].dtype) {
  case DType::F32: return addAtWinners<float>(call);
  case DType::F64: return addAtWinners<double>(call);
  case DType::I64: return addAtWinners<int64_t>(call);
  case DType::I32: return addAtWinners<int32_t>(call);
  default: return addAtWinners<uint8_t>(call);
  }
}

} // namespace tensorjit
