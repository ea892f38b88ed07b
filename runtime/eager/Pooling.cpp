#include "eager/Dense.h"
#include "eager/Space.h"
#include "eager/WindowKernels.h"
#include "eager/loops/MaxPool.h"
#include "eager/loops/WindowSum.h"
#include "execute/ThreadPool.h"

#include <algorithm>

namespace tensorjit {

using namespace eager;

/// Calls body(volume) for each image and channel.
template <class Body> static void forEachVolume(const Shape &sizes, int64_t cells, Body body) {
  const int64_t atOnce = std::max<int64_t>(1, (16 << 10) / std::max<int64_t>(1, cells));
  parallelFor(sizes[0] * sizes[1], atOnce, [&](int64_t lo, int64_t hi) {
    for (int64_t p = lo; p < hi; ++p) body(p);
  });
}

static void maxPool(const EagerCall &call) {
  AttrReader read(call.attrs);
  PoolWindow window;
  PoolSizes sizes;
  asVolume(read.ints(), 1, window.kernel);
  asVolume(read.ints(), 1, window.stride);
  asVolume(read.ints(), 0, window.padding);
  asVolume(read.ints(), 1, window.dilation);
  const TensorView &x = call.operands[0], &y = call.results[0];
  if (y.sizes.numel() == 0) return;
  const Shape in = spaceOf(x.sizes), out = spaceOf(y.sizes);
  asVolume(in, 1, sizes.in);
  asVolume(out, 1, sizes.out);
  const Dense dense(x);
  const auto item = static_cast<int64_t>(itemSize(x.dtype));
  const int64_t cells = in.numel(), windows = out.numel();
  int64_t *indices = static_cast<int64_t *>(call.results[1].data);
  forEachVolume(y.sizes, cells, [&](int64_t p) {
    maxPoolVolumeBest(x.dtype, dense.as<char>() + p * cells * item, window, sizes,
                      static_cast<char *>(y.data) + p * windows * item, indices + p * windows);
  });
}
void eagerMaxPool2d(const EagerCall &call) { maxPool(call); }
void eagerMaxPool3d(const EagerCall &call) { maxPool(call); }

template <class T> static void addAtWinners(const EagerCall &call) {
  const Dense grad(call.operands[0]), indices(call.operands[1]);
  const TensorView &y = call.results[0];
  const int64_t cells = spaceOf(y.sizes).numel(), windows = spaceOf(call.operands[0].sizes).numel();
  forEachVolume(y.sizes, cells, [&](int64_t p) {
    T *dx = static_cast<T *>(y.data) + p * cells;
    const T *g = grad.as<T>() + p * windows;
    const int64_t *at = indices.as<int64_t>() + p * windows;
    std::fill_n(dx, cells, T(0));
    for (int64_t i = 0; i < windows; ++i)
      if (at[i] >= 0 && at[i] < cells) dx[at[i]] += g[i];
  });
}

static void maxPoolGrad(const EagerCall &call) {
  switch (call.results[0].dtype) {
  case DType::F32: return addAtWinners<float>(call);
  case DType::F64: return addAtWinners<double>(call);
  case DType::I64: return addAtWinners<int64_t>(call);
  case DType::I32: return addAtWinners<int32_t>(call);
  default: return addAtWinners<uint8_t>(call);
  }
}
void eagerMaxPool2dGrad(const EagerCall &call) { maxPoolGrad(call); }
void eagerMaxPool3dGrad(const EagerCall &call) { maxPoolGrad(call); }

/// Reads what window_sum and its gradient share; `x` and `y` are the sizes of the cells and of the windows.
static SumWindow readSumWindow(AttrReader &read, const Shape &x, const Shape &y) {
  SumWindow w;
  asVolume(read.ints(), 1, w.kernel);
  asVolume(read.ints(), 1, w.stride);
  asVolume(read.ints(), 0, w.low);
  read.ints(); // `high` shows in the sizes
  asVolume(read.ints(), 1, w.dilation);
  asVolume(spaceOf(x), 1, w.in);
  asVolume(spaceOf(y), 1, w.out);
  return w;
}

using VolumeLoop = void (*)(DType, const void *, const SumWindow &, void *);

static void sumWindows(const EagerCall &call, const SumWindow &window, VolumeLoop loop) {
  const TensorView &from = call.operands[0], &to = call.results[0];
  if (to.sizes.numel() == 0) return;
  const Dense dense(from);
  const auto item = static_cast<int64_t>(itemSize(to.dtype));
  const int64_t read = spaceOf(from.sizes).numel() * item, written = spaceOf(to.sizes).numel() * item;
  forEachVolume(to.sizes, std::max(read, written) / item, [&](int64_t p) {
    loop(to.dtype, dense.as<char>() + p * read, window, static_cast<char *>(to.data) + p * written);
  });
}

void eagerWindowSum(const EagerCall &call) {
  AttrReader read(call.attrs);
  sumWindows(call, readSumWindow(read, call.operands[0].sizes, call.results[0].sizes), windowSumVolumeBest);
}
void eagerWindowSumBackward(const EagerCall &call) {
  AttrReader read(call.attrs);
  read.ints();
  sumWindows(call, readSumWindow(read, call.results[0].sizes, call.operands[0].sizes), windowSumBackwardVolumeBest);
}

} // namespace tensorjit
