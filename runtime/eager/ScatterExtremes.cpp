// Scatters that keep the largest, the smallest or the product of what meets at an element.
#include "eager/Copy.h"
#include "eager/IndexKernels.h"
#include "eager/Positions.h"

#include <cmath>

namespace tensorjit {

using namespace eager;

namespace {

/// -1 at elements that no source has been written to.
constexpr int64_t self = -1;

/// Calls `first` where an element's own value does not count and none has been written yet, else `more`.
template <class T, class First, class More>
void scatterWith(const EagerCall &call, int64_t *writer, First first, More more) {
  const TensorView &y = call.results[0], &source = call.operands[2];
  AttrReader attrs(call.attrs);
  const auto dim = static_cast<size_t>(attrs.integer());
  const bool includeSelf = attrs.boolean();
  copyToDense(call.operands[0], y.data);
  std::fill_n(writer, y.sizes.numel(), self);
  const Dense dense(source);
  const Shape strides = source.sizes.denseStrides();
  forEachPosition(call.operands[1], y.sizes, dim, *call.error, [&](int64_t i, int64_t at, const auto &counter) {
    int64_t from = 0;
    for (size_t d = 0; d < strides.rank(); ++d) from += counter[d] * strides[d];
    T &target = static_cast<T *>(y.data)[at];
    const T value = dense.as<T>()[from];
    if (!includeSelf && writer[at] == self) first(target, value, i, writer[at]);
    else more(target, value, i, writer[at]);
  });
}

/// The first of equal values stays the winner; NaN is beyond every number, +0 above -0.
template <class T, bool Largest> void scatterExtreme(const EagerCall &call) {
  scatterWith<T>(
      call, static_cast<int64_t *>(call.results[1].data),
      [](T &y, T v, int64_t i, int64_t &writer) {
        y = v;
        writer = i;
      },
      [](T &y, T v, int64_t i, int64_t &writer) {
        if (y != y) return;
        if (v != v || (Largest ? v > y : v < y)) {
          y = v;
          writer = i;
        } else if (v == y && v == T(0)) {
          y = Largest ? static_cast<T>(y + v) : static_cast<T>(-(-y - v));
        }
      });
}

template <bool Largest> void scatterExtremeOf(const EagerCall &call) {
  switch (call.results[0].dtype) {
  case DType::F32: return scatterExtreme<float, Largest>(call);
  case DType::F64: return scatterExtreme<double, Largest>(call);
  case DType::I64: return scatterExtreme<int64_t, Largest>(call);
  case DType::I32: return scatterExtreme<int32_t, Largest>(call);
  case DType::I8: return scatterExtreme<int8_t, Largest>(call);
  default: return scatterExtreme<uint8_t, Largest>(call);
  }
}

/// Integers wrap.
template <class T> void scatterProduct(const EagerCall &call) {
  std::vector<int64_t> writer(static_cast<size_t>(call.results[0].sizes.numel()));
  scatterWith<T>(
      call, writer.data(),
      [](T &y, T v, int64_t i, int64_t &at) {
        y = v;
        at = i;
      },
      [](T &y, T v, int64_t i, int64_t &at) {
        y = static_cast<T>(y * v);
        at = i;
      });
}

} // namespace

void eagerScatterAmax(const EagerCall &call) { scatterExtremeOf<true>(call); }
void eagerScatterAmin(const EagerCall &call) { scatterExtremeOf<false>(call); }

void eagerScatterProd(const EagerCall &call) {
  switch (call.results[0].dtype) {
  case DType::F32: return scatterProduct<float>(call);
  case DType::F64: return scatterProduct<double>(call);
  case DType::I64: return scatterProduct<uint64_t>(call);
  case DType::I32: return scatterProduct<uint32_t>(call);
  default: return scatterProduct<uint8_t>(call); // i8 wraps to the same bits
  }
}

} // namespace tensorjit
