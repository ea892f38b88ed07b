#include "eager/Cast.h"
#include "eager/Copy.h"
#include "eager/CreationKernels.h"
#include "eager/ShapeKernels.h"
#include "execute/ThreadPool.h"

#include <cstring>

namespace tensorjit {

using namespace eager;

void eagerReshape(const EagerCall &call) { copyToDense(call.operands[0], call.results[0].data); }

void eagerPermute(const EagerCall &call) {
  const Shape dims = AttrReader(call.attrs).ints();
  TensorView x = call.operands[0];
  for (size_t i = 0; i < dims.rank(); ++i) {
    x.sizes[i] = call.operands[0].sizes[static_cast<size_t>(dims[i])];
    x.strides[i] = call.operands[0].strides[static_cast<size_t>(dims[i])];
  }
  copyStrided(x, call.results[0]);
}

/// Bytes that become bool are brought to 0 and 1.
void eagerBitcast(const EagerCall &call) {
  const TensorView &x = call.operands[0], &y = call.results[0];
  copyToDense(x, y.data);
  if (y.dtype == DType::Bool && x.dtype != DType::Bool)
    castDense(y.data, DType::U8, y.data, DType::Bool, y.sizes.numel());
}

void eagerBroadcastTo(const EagerCall &call) { copyStrided(call.operands[0], call.results[0]); }

/// The part of `x` that a slice selects; its size along the dim is `size`.
static TensorView sliceOf(TensorView x, AttrReader &read, int64_t size) {
  const size_t dim = static_cast<size_t>(read.integer());
  const int64_t start = read.integer();
  read.integer(); // stop: the size along the dim says it
  const int64_t step = read.integer();
  if (size > 0) x.data = static_cast<char *>(x.data) + start * x.strides[dim] * static_cast<int64_t>(itemSize(x.dtype));
  x.strides[dim] *= step;
  x.sizes[dim] = size;
  return x;
}

void eagerSlice(const EagerCall &call) {
  AttrReader read(call.attrs);
  const size_t dim = static_cast<size_t>(call.attrs.words()[0]);
  copyStrided(sliceOf(call.operands[0], read, call.results[0].sizes[dim]), call.results[0]);
}

void eagerSliceScatter(const EagerCall &call) {
  AttrReader read(call.attrs);
  const size_t dim = static_cast<size_t>(call.attrs.words()[0]);
  copyToDense(call.operands[0], call.results[0].data);
  copyStrided(call.operands[1], sliceOf(call.results[0], read, call.operands[1].sizes[dim]));
}

void eagerFull(const EagerCall &call) {
  AttrReader read(call.attrs);
  read.ints();
  const Scalar value = read.scalar();
  const TensorView &y = call.results[0];
  alignas(8) char item[8];
  if (value.kind() == Scalar::Kind::Float) {
    const double v = value.toDouble();
    castDense(&v, DType::F64, item, y.dtype, 1);
  } else {
    const int64_t v = value.toInt();
    castDense(&v, DType::I64, item, y.dtype, 1);
  }
  const Shape none(std::span<const int64_t>{});
  copyStrided({item, y.dtype, none, none}, y);
}

void eagerIota(const EagerCall &call) {
  AttrReader read(call.attrs);
  const Shape sizes = read.ints();
  const size_t dim = static_cast<size_t>(read.integer());
  const TensorView &y = call.results[0];
  const int64_t inner = sizes.numel() ? y.strides[dim] : 1, n = sizes.numel();
  for (int64_t i = 0; i < n; ++i) {
    const int64_t v = i / inner % sizes[dim];
    if (y.dtype == DType::I64) static_cast<int64_t *>(y.data)[i] = v;
    else static_cast<int32_t *>(y.data)[i] = static_cast<int32_t>(v);
  }
}

} // namespace tensorjit
