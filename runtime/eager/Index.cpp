#include "eager/Copy.h"
#include "eager/IndexKernels.h"
#include "eager/Positions.h"
#include "execute/ThreadPool.h"

#include <algorithm>

namespace tensorjit {

using namespace eager;

namespace {

size_t dimOf(const EagerCall &call) { return static_cast<size_t>(AttrReader(call.attrs).integer()); }

/// Whether the positions stand for every element of `x` but along `dim`.
bool isWhole(const TensorView &index, const TensorView &x, size_t dim) {
  if (index.sizes.rank() != x.sizes.rank()) return false;
  for (size_t d = 0; d < x.sizes.rank(); ++d)
    if (d != dim && index.sizes[d] != x.sizes[d]) return false;
  return !x.sizes.empty();
}

/// Rows of positions, shared out among threads.
template <class T> void gatherWhole(const T *x, T *y, const Positions &positions, Slabs s, ErrorSlot &error) {
  positions.check(s.size, error);
  const int64_t places = positions.size() / std::max<int64_t>(1, s.outer * s.inner);
  parallelFor(s.outer * places, std::max<int64_t>(1, (1 << 13) / std::max<int64_t>(1, s.inner)),
              [&](int64_t lo, int64_t hi) {
                for (int64_t row = lo; row < hi; ++row) {
                  const T *slab = x + row / places * s.size * s.inner;
                  for (int64_t c = 0; c < s.inner; ++c) {
                    const int64_t p = positions[row * s.inner + c];
                    y[row * s.inner + c] = p >= 0 && p < s.size ? slab[p * s.inner + c] : T(0);
                  }
                }
              });
}

template <class T> void gatherElements(const EagerCall &call) {
  const TensorView &x = call.operands[0], &index = call.operands[1];
  const size_t dim = dimOf(call);
  const Dense dense(x);
  T *y = static_cast<T *>(call.results[0].data);
  if (isWhole(index, x, dim)) return gatherWhole(dense.as<T>(), y, Positions(index), {x.sizes, dim}, *call.error);
  std::fill_n(y, call.results[0].sizes.numel(), T(0));
  forEachPosition(index, x.sizes, dim, *call.error,
                  [&](int64_t i, int64_t at, const auto &) { y[i] = dense.as<T>()[at]; });
}

/// Targets of different slabs are different, and each takes its sources in order.
template <class T, class Combine>
void scatterWhole(T *y, const T *source, const Positions &positions, Slabs s, ErrorSlot &error, Combine combine) {
  positions.check(s.size, error);
  const int64_t slab = positions.size() / std::max<int64_t>(1, s.outer);
  parallelFor(s.outer, std::max<int64_t>(1, (1 << 13) / std::max<int64_t>(1, slab)), [&](int64_t lo, int64_t hi) {
    for (int64_t o = lo; o < hi; ++o)
      for (int64_t i = 0; i < slab; ++i) {
        const int64_t p = positions[o * slab + i];
        if (p >= 0 && p < s.size) combine(y[(o * s.size + p) * s.inner + i % s.inner], source[o * slab + i]);
      }
  });
}

/// `combine(target, source)` for each position.
template <class T, class Combine> void scatterElements(const EagerCall &call, Combine combine) {
  const TensorView &y = call.results[0], &index = call.operands[1], &source = call.operands[2];
  const size_t dim = dimOf(call);
  copyToDense(call.operands[0], y.data);
  const Dense dense(source);
  T *to = static_cast<T *>(y.data);
  if (isWhole(index, y, dim) && source.sizes == index.sizes)
    return scatterWhole(to, dense.as<T>(), Positions(index), {y.sizes, dim}, *call.error, combine);
  const Shape strides = source.sizes.denseStrides();
  forEachPosition(index, y.sizes, dim, *call.error, [&](int64_t, int64_t at, const auto &counter) {
    int64_t from = 0;
    for (size_t d = 0; d < strides.rank(); ++d) from += counter[d] * strides[d];
    combine(to[at], dense.as<T>()[from]);
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
