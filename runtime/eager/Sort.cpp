#include "eager/Dense.h"
#include "eager/EagerCall.h"
#include "eager/LoopNest.h"
#include "eager/RadixSort.h"
#include "eager/SortKernels.h"
#include "eager/loops/Keys.h"
#include "execute/ThreadPool.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tensorjit {

using namespace eager;

namespace {

/// A tensor as rows along one dim, each read or written with a stride.
class Rows {
public:
  Rows(const TensorView &t, size_t dim) : data_(static_cast<char *>(t.data)), item_(itemSize(t.dtype)) {
    for (size_t d = 0; d < t.sizes.rank(); ++d) {
      if (d == dim) {
        size = t.sizes[d];
        stride = t.strides[d];
        continue;
      }
      sizes_.push_back(t.sizes[d]);
      strides_.push_back(t.strides[d]);
    }
    count = sizes_.numel();
  }
  char *row(int64_t i) const { return data_ + RowWalker(sizes_, strides_, i).offset() * static_cast<int64_t>(item_); }
  int64_t count, size = 1, stride = 1;

private:
  char *data_;
  size_t item_;
  Shape sizes_, strides_;
};

template <class Entry> struct KeyOf;
template <> struct KeyOf<Entry32> {
  using type = uint32_t;
  static constexpr auto &keys = orderKeys32Best;
  static constexpr auto &firstBelow = firstBelow32Best;
};
template <> struct KeyOf<Entry64> {
  using type = uint64_t;
  static constexpr auto &keys = orderKeys64Best;
  static constexpr auto &firstBelow = firstBelow64Best;
};

/// Memory of one thread.
template <class Entry> struct Workspace {
  std::vector<typename KeyOf<Entry>::type> keys;
  std::vector<Entry> entries, spare;
};

template <class T> void take(const char *from, int64_t fromStride, char *to, int64_t toStride, int64_t at, int64_t i) {
  reinterpret_cast<T *>(to)[i * toStride] = reinterpret_cast<const T *>(from)[at * fromStride];
}

/// Orders the first `k` entries of a row, a part of them where k is small.
template <class Entry> void orderFirst(Workspace<Entry> &w, int64_t n, int64_t k) {
  auto fill = [&](int64_t lo, int64_t hi) {
    for (int64_t i = lo; i < hi; ++i) w.entries.push_back(Entry(w.keys[static_cast<size_t>(i)], i));
  };
  w.entries.clear();
  if (k == 0) return;
  constexpr int64_t fewest = 64;
  if (k > fewest || k * 4 > n) {
    fill(0, n);
    if (k * 4 <= n) {
      std::nth_element(w.entries.begin(), w.entries.begin() + k, w.entries.end());
      w.entries.resize(static_cast<size_t>(k));
      std::sort(w.entries.begin(), w.entries.end());
      return;
    }
    return sortEntries(w.entries, w.spare);
  }
  // The best so far in order; most keys are not below the last of them and are passed over.
  fill(0, k);
  std::sort(w.entries.begin(), w.entries.end());
  using Key = typename KeyOf<Entry>::type;
  for (int64_t i = k;; ++i) {
    i = KeyOf<Entry>::firstBelow(w.keys.data(), i, n, static_cast<Key>(w.entries.back().digits()));
    if (i == n) return;
    const Entry e(w.keys[static_cast<size_t>(i)], i);
    w.entries.pop_back();
    w.entries.insert(std::upper_bound(w.entries.begin(), w.entries.end(), e), e);
  }
}

template <class Entry> void orderRows(const EagerCall &call, size_t dim, int64_t k, bool descending) {
  const TensorView &x = call.operands[0];
  const Rows in(x, dim), values(call.results[0], dim), positions(call.results[1], dim);
  if (call.results[0].sizes.numel() == 0) return;
  const int64_t n = in.size;
  parallelFor(in.count, std::max<int64_t>(1, (4 << 10) / n), [&](int64_t lo, int64_t hi) {
    Workspace<Entry> w;
    w.keys.resize(static_cast<size_t>(n));
    for (int64_t r = lo; r < hi; ++r) {
      const char *from = in.row(r);
      KeyOf<Entry>::keys(x.dtype, from, in.stride, n, descending, w.keys.data());
      orderFirst(w, n, k);
      char *to = values.row(r), *at = positions.row(r);
      for (int64_t i = 0; i < k; ++i) {
        const int64_t source = w.entries[static_cast<size_t>(i)].at();
        reinterpret_cast<int64_t *>(at)[i * positions.stride] = source;
        switch (itemSize(x.dtype)) {
        case 1: take<uint8_t>(from, in.stride, to, values.stride, source, i); break;
        case 4: take<uint32_t>(from, in.stride, to, values.stride, source, i); break;
        default: take<uint64_t>(from, in.stride, to, values.stride, source, i);
        }
      }
    }
  });
}

void order(const EagerCall &call, size_t dim, int64_t k, bool descending) {
  const TensorView &x = call.operands[0];
  const int64_t n = x.sizes.empty() ? 1 : x.sizes[dim];
  if (itemSize(x.dtype) <= 4 && n <= int64_t(UINT32_MAX)) return orderRows<Entry32>(call, dim, k, descending);
  if (itemSize(x.dtype) == 8) return orderRows<Entry64>(call, dim, k, descending);
}

/// NaN is above all numbers.
template <class T> bool isBelow(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return a < b || (std::isnan(b) && !std::isnan(a));
  else return a < b;
}

template <class T> void search(const EagerCall &call, bool right) {
  const Dense sorted(call.operands[0]), values(call.operands[1]);
  const int64_t n = call.operands[0].sizes.back(), count = call.operands[1].sizes.numel();
  const bool oneRow = call.operands[0].sizes.rank() == 1;
  const int64_t perRow = oneRow ? count : call.operands[1].sizes.back();
  int64_t *out = static_cast<int64_t *>(call.results[0].data);
  parallelFor(count, 1 << 10, [&](int64_t lo, int64_t hi) {
    for (int64_t i = lo; i < hi; ++i) {
      const T *row = sorted.as<T>() + (oneRow ? 0 : i / perRow * n), v = values.as<T>()[i];
      const T *found =
          right ? std::upper_bound(row, row + n, v, isBelow<T>) : std::lower_bound(row, row + n, v, isBelow<T>);
      out[i] = found - row;
    }
  });
}

} // namespace

void eagerSort(const EagerCall &call) {
  AttrReader attrs(call.attrs);
  const auto dim = static_cast<size_t>(attrs.integer());
  order(call, dim, call.operands[0].sizes.empty() ? 1 : call.operands[0].sizes[dim], attrs.boolean());
}

void eagerTopk(const EagerCall &call) {
  AttrReader attrs(call.attrs);
  const int64_t k = attrs.integer();
  const auto dim = static_cast<size_t>(attrs.integer());
  order(call, dim, k, attrs.boolean());
}

void eagerSearchsorted(const EagerCall &call) {
  const bool right = AttrReader(call.attrs).boolean();
  switch (call.operands[0].dtype) {
  case DType::F32: return search<float>(call, right);
  case DType::F64: return search<double>(call, right);
  case DType::I64: return search<int64_t>(call, right);
  case DType::I32: return search<int32_t>(call, right);
  case DType::I8: return search<int8_t>(call, right);
  default: return search<uint8_t>(call, right);
  }
}

} // namespace tensorjit
