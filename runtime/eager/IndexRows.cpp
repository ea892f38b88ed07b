// Kernels that a list of positions along one dim tells which rows to read or write.
#include "eager/IndexKernels.h"
#include "eager/Positions.h"
#include "eager/loops/AddRow.h"
#include "execute/ThreadPool.h"

#include <algorithm>
#include <cstring>

namespace tensorjit {

using namespace eager;

/// Elements that are worth a thread's while.
static constexpr int64_t grainElements = 1 << 14;

static Slabs slabsOf(const TensorView &x, const Attrs &attrs) {
  return {x.sizes, static_cast<size_t>(AttrReader(attrs).integer())};
}

/// Where rows are narrow a copy of a row is a copy of an element.
template <class T> static void copyElements(const T *x, T *y, const Positions &list, Slabs s, int64_t lo, int64_t hi) {
  for (int64_t row = lo; row < hi; ++row) {
    const int64_t p = list[row % list.size()];
    y[row] = p >= 0 && p < s.size ? x[row / list.size() * s.size + p] : T(0);
  }
}

void eagerIndexSelect(const EagerCall &call) {
  const Slabs s = slabsOf(call.operands[0], call.attrs);
  const Positions list(call.operands[1]);
  list.check(s.size, *call.error);
  const Dense x(call.operands[0]);
  const size_t item = itemSize(call.results[0].dtype), bytes = static_cast<size_t>(s.inner) * item;
  auto *y = static_cast<char *>(call.results[0].data);
  auto copyRows = [&](int64_t lo, int64_t hi) {
    if (s.inner == 1 && item == 4)
      return copyElements(x.as<uint32_t>(), reinterpret_cast<uint32_t *>(y), list, s, lo, hi);
    if (s.inner == 1 && item == 8)
      return copyElements(x.as<uint64_t>(), reinterpret_cast<uint64_t *>(y), list, s, lo, hi);
    for (int64_t row = lo; row < hi; ++row) {
      const int64_t o = row / list.size(), p = list[row % list.size()];
      char *to = y + static_cast<size_t>(row) * bytes;
      if (p >= 0 && p < s.size) std::memcpy(to, x.as<char>() + static_cast<size_t>(o * s.size + p) * bytes, bytes);
      else std::memset(to, 0, bytes);
    }
  };
  parallelFor(s.outer * list.size(), std::max<int64_t>(1, grainElements / std::max<int64_t>(1, s.inner)), copyRows);
}

/// `put(to, from, bytes or elements)` for each row of the list in order; a thread has columns of its own.
template <class Put> static void putRows(const EagerCall &call, Put put) {
  const TensorView &y = call.results[0];
  const Slabs s = slabsOf(y, call.attrs);
  const Positions list(call.operands[1]);
  list.check(s.size, *call.error);
  copyToDense(call.operands[0], y.data);
  const Dense source(call.operands[2]);
  const size_t item = itemSize(y.dtype);
  auto columns = [&](int64_t o, int64_t from, int64_t to) {
    for (int64_t k = 0; k < list.size(); ++k) {
      const int64_t p = list[k];
      if (p < 0 || p >= s.size) continue;
      put(static_cast<char *>(y.data) + static_cast<size_t>((o * s.size + p) * s.inner + from) * item,
          source.as<char>() + static_cast<size_t>((o * list.size() + k) * s.inner + from) * item, to - from);
    }
  };
  const int64_t grain = std::max<int64_t>(16, grainElements / std::max<int64_t>(1, list.size()));
  parallelFor(s.outer * s.inner, grain, [&](int64_t lo, int64_t hi) {
    while (lo < hi) {
      const int64_t o = lo / s.inner, end = std::min(hi, (o + 1) * s.inner);
      columns(o, lo - o * s.inner, end - o * s.inner);
      lo = end;
    }
  });
}

void eagerIndexCopy(const EagerCall &call) {
  const size_t item = itemSize(call.results[0].dtype);
  putRows(call,
          [item](char *to, const char *from, int64_t n) { std::memcpy(to, from, static_cast<size_t>(n) * item); });
}

void eagerIndexAdd(const EagerCall &call) {
  const DType type = call.results[0].dtype;
  putRows(call, [type](char *to, const char *from, int64_t n) { addRowBest(type, to, from, n); });
}

void eagerIndex(const EagerCall &call) {
  AttrReader attrs(call.attrs);
  const int64_t size = attrs.integer();
  const bool wrap = attrs.boolean();
  const Positions list(call.operands[0]);
  auto *y = static_cast<int64_t *>(call.results[0].data);
  for (int64_t i = 0; i < list.size(); ++i) {
    const int64_t given = list[i], p = wrap && given < 0 ? given + size : given;
    const bool inside = p >= 0 && p < size;
    y[i] = inside ? p : 0;
    if (!inside && !call.error->set) *call.error = {1, 0, i, given};
  }
}

} // namespace tensorjit
