#pragma once
/// Turns the generated functors of a family into loops. Included at each CPU level.
#include "eager/ScalarAtoms.h"
#include "eager/loops/Pointwise.h"
#include "op/DTypeSet.h"

#include <array>
#include <type_traits>
#include <utility>

namespace tensorjit::eager::TENSORJIT_LEVEL {
namespace {

/// Bool is loaded and stored as a byte: GCC 12 does not vectorise a loop that selects by an element of type bool.
template <class T> struct Memory { using type = T; };
template <> struct Memory<bool> { using type = unsigned char; };
template <class T> [[gnu::always_inline]] inline T load(typename Memory<T>::type v) {
  if constexpr (std::is_same_v<T, bool>) return v != 0;
  else return v;
}

template <class F, class T, class... A> void walk(int64_t n, T *y, const typename Memory<A>::type *...x) {
  const F f;
  auto *out = reinterpret_cast<typename Memory<T>::type *>(y);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) out[i] = f(load<A>(x[i])...);
}
template <class F, class... A, class T, size_t N, size_t... R>
void walkSeveral(int64_t n, std::array<T *, N> y, std::index_sequence<R...>, const typename Memory<A>::type *...x) {
  const F f;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const auto r = f(load<A>(x[i])...);
    ((y[R][i] = r[R]), ...);
  }
}

template <class R> struct Results {
  using Element = R;
  static constexpr size_t count = 1;
};
template <class T, size_t N> struct Results<std::array<T, N>> {
  using Element = T;
  static constexpr size_t count = N;
};

template <class T, size_t... R> std::array<T *, sizeof...(R)> pointers(void *const *out, std::index_sequence<R...>) {
  return {static_cast<T *>(out[R])...};
}

template <class F, class R, class... A, size_t... I>
void unpack(const void *const *in, void *const *out, int64_t n, R (F::*)(A...) const, std::index_sequence<I...>) {
  using T = typename Results<R>::Element;
  if constexpr (Results<R>::count == 1) {
    walk<F, T, A...>(n, static_cast<T *>(out[0]), static_cast<const typename Memory<A>::type *>(in[I])...);
  } else {
    constexpr std::make_index_sequence<Results<R>::count> results;
    walkSeveral<F, A...>(n, pointers<T>(out, results), results,
                         static_cast<const typename Memory<A>::type *>(in[I])...);
  }
}
template <class F, class R, class... A> constexpr auto arity(R (F::*)(A...) const) {
  return std::index_sequence_for<A...>();
}

template <class F> void loop(const void *const *in, void *const *out, int64_t n) {
  unpack(in, out, n, &F::operator(), arity(&F::operator()));
}

template <template <class> class Fn, uint32_t accepted> PointwiseFn loopFor(DType type) {
  auto bit = [](DType t) { return accepted >> static_cast<uint8_t>(t) & 1; };
  switch (type) {
  case DType::Bool:
    if constexpr (bit(DType::Bool)) return loop<Fn<bool>>;
    break;
  case DType::U8:
    if constexpr (bit(DType::U8)) return loop<Fn<uint8_t>>;
    break;
  case DType::I8:
    if constexpr (bit(DType::I8)) return loop<Fn<int8_t>>;
    break;
  case DType::I32:
    if constexpr (bit(DType::I32)) return loop<Fn<int32_t>>;
    break;
  case DType::I64:
    if constexpr (bit(DType::I64)) return loop<Fn<int64_t>>;
    break;
  case DType::F32:
    if constexpr (bit(DType::F32)) return loop<Fn<float>>;
    break;
  case DType::F64:
    if constexpr (bit(DType::F64)) return loop<Fn<double>>;
    break;
  default: break;
  }
  return nullptr;
}

} // namespace
} // namespace tensorjit::eager::TENSORJIT_LEVEL
