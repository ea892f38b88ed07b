#include "eager/Cast.h"
#include "eager/Copy.h"
#include "eager/Dense.h"
#include "eager/IndexKernels.h"

#include <vector>

namespace tensorjit {

using namespace eager;

namespace {

/// Positions as i64, in row-major order.
std::vector<int64_t> positionsOf(const TensorView &t) {
  std::vector<int64_t> positions(static_cast<size_t>(t.sizes.numel()));
  const Dense dense(t);
  castDense(dense.data(), t.dtype, positions.data(), DType::I64, t.sizes.numel());
  return positions;
}

/// Calls `each(i, at)` for the positions in order: `i` is the place in the list, `at` the element of a dense tensor of
/// `sizes` that position i names along `dim`. Reports the first position out of range and passes over all of those.
template <class Each>
void forEachPosition(const TensorView &index, const Shape &sizes, const Attrs &attrs, ErrorSlot &error, Each each) {
  const auto dim = static_cast<size_t>(AttrReader(attrs).integer());
  const std::vector<int64_t> positions = positionsOf(index);
  const Shape strides = sizes.denseStrides();
  const int64_t bound = sizes.empty() ? 1 : sizes[dim];
  std::array<int64_t, Shape::maxRank> counter{};
  for (size_t i = 0; i < positions.size(); ++i) {
    const int64_t p = positions[i];
    if (p >= 0 && p < bound) {
      int64_t at = 0;
      for (size_t d = 0; d < sizes.rank(); ++d) at += (d == dim ? p : counter[d]) * strides[d];
      each(static_cast<int64_t>(i), at, counter);
    } else if (!error.set) {
      error = {1, 0, static_cast<int64_t>(i), p};
    }
    for (size_t d = index.sizes.rank(); d-- > 0;) {
      if (++counter[d] < index.sizes[d]) break;
      counter[d] = 0;
    }
  }
}

template <class T> void gatherElements(const EagerCall &call) {
  const TensorView &x = call.operands[0];
  const Dense dense(x);
  T *y = static_cast<T *>(call.results[0].data);
  std::fill_n(y, call.results[0].sizes.numel(), T(0));
  forEachPosition(call.operands[1], x.sizes, call.attrs, *call.error,
                  [&](int64_t i, int64_t at, const auto &) { y[i] = dense.as<T>()[at]; });
}

/// `combine(target, source)` for each position.
template <class T, class Combine> void scatterElements(const EagerCall &call, Combine combine) {
  const TensorView &y = call.results[0], &source = call.operands[2];
  copyToDense(call.operands[0], y.data);
  const Dense dense(source);
  const Shape strides = source.sizes.denseStrides();
  forEachPosition(call.operands[1], y.sizes, call.attrs, *call.error, [&](int64_t, int64_t at, const auto &counter) {
    int64_t from = 0;
    for (size_t d = 0; d < strides.rank(); ++d) from += counter[d] * strides[d];
    combine(static_cast<T *>(y.data)[at], dense.as<T>()[from]);
  });
}

template <class T> void addElements(const EagerCall &call) {
  scatterElements<T>(call, [](T &y, T v) { y = static_cast<T>(y + v); });
}
/// Integers wrap.
template <class T, class Unsigned> void addIntegers(const EagerCall &call) {
  scatterElements<T>(call, [](T &y, T v) {
    y = static_cast<T>(static_cast<Unsigned>(static_cast<Unsigned>(y) + static_cast<Unsigned>(v)));
  });
}

} // namespace

void eagerGather(const EagerCall &call) {
  switch (itemSize(call.results[0].dtype)) {
  case 1: return gatherElements<uint8_t>(call);
  case 2: return gatherElements<uint16_t>(call);
  case 4: return gatherElements<uint32_t>(call);
  default: return gatherElements<uint64_t>(call);
  }
}

void eagerScatter(const EagerCall &call) {
  auto set = [](auto &y, auto v) { y = v; };
  switch (itemSize(call.results[0].dtype)) {
  case 1: return scatterElements<uint8_t>(call, set);
  case 2: return scatterElements<uint16_t>(call, set);
  case 4: return scatterElements<uint32_t>(call, set);
  default: return scatterElements<uint64_t>(call, set);
  }
}

void eagerScatterAdd(const EagerCall &call) {
  switch (call.results[0].dtype) {
  case DType::F32: return addElements<float>(call);
  case DType::F64: return addElements<double>(call);
  case DType::I64: return addIntegers<int64_t, uint64_t>(call);
  case DType::I32: return addIntegers<int32_t, uint32_t>(call);
  default: return addIntegers<uint8_t, uint8_t>(call); // i8 wraps to the same bits
  }
}

void eagerConcat(const EagerCall &call) {
  const auto dim = static_cast<size_t>(AttrReader(call.attrs).integer());
  TensorView part = call.results[0];
  for (const TensorView &x : call.operands) {
    part.sizes[dim] = x.sizes[dim];
    copyStrided(x, part);
    part.data =
        static_cast<char *>(part.data) + x.sizes[dim] * part.strides[dim] * static_cast<int64_t>(itemSize(x.dtype));
  }
}

} // namespace tensorjit
