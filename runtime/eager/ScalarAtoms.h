#pragma once
/// The scalar operations that op records are written in, for C++ types. Included by files compiled once a CPU level, so
/// everything lives inside that level's namespace and nothing here calls an inline function of the standard library.
#include <cstdint>

extern "C" {
double exp(double), exp2(double), expm1(double), log(double), log1p(double), tanh(double), erf(double), erfc(double);
}

namespace tensorjit::eager::TENSORJIT_LEVEL {
namespace {
namespace scalar {

#define ATOM [[gnu::always_inline]] inline

template <class T> inline constexpr bool isBool = false;
template <> inline constexpr bool isBool<bool> = true;
template <class T> inline constexpr bool isFloat = false;
template <> inline constexpr bool isFloat<float> = true;
template <> inline constexpr bool isFloat<double> = true;

/// Integers wrap: their arithmetic runs on unsigned types at least as wide as int.
template <class T> struct Wrapping { using type = uint64_t; };
template <> struct Wrapping<int32_t> { using type = uint32_t; };
template <> struct Wrapping<uint8_t> { using type = uint32_t; };
template <> struct Wrapping<int8_t> { using type = uint32_t; };
template <class T> ATOM auto wrap(T x) { return static_cast<typename Wrapping<T>::type>(x); }

template <class T> ATOM T infinity() { return static_cast<T>(__builtin_inf()); }
template <class T> ATOM T nan() { return static_cast<T>(__builtin_nan("")); }

template <class T> ATOM T add(T a, T b) {
  if constexpr (isBool<T>) return a | b;
  else if constexpr (isFloat<T>) return a + b;
  else return static_cast<T>(wrap(a) + wrap(b));
}
template <class T> ATOM T sub(T a, T b) {
  if constexpr (isFloat<T>) return a - b;
  else return static_cast<T>(wrap(a) - wrap(b));
}
template <class T> ATOM T mul(T a, T b) {
  if constexpr (isBool<T>) return a & b;
  else if constexpr (isFloat<T>) return a * b;
  else return static_cast<T>(wrap(a) * wrap(b));
}
template <class T> ATOM T div(T a, T b) { return a / b; }
template <class T> ATOM T neg(T x) {
  if constexpr (isFloat<T>) return -x;
  else return static_cast<T>(0 - wrap(x));
}

ATOM bool eq(auto a, decltype(a) b) { return a == b; }
ATOM bool ne(auto a, decltype(a) b) { return a != b; }
ATOM bool lt(auto a, decltype(a) b) { return a < b; }
ATOM bool le(auto a, decltype(a) b) { return a <= b; }
ATOM bool gt(auto a, decltype(a) b) { return a > b; }
ATOM bool ge(auto a, decltype(a) b) { return a >= b; }
ATOM bool logical_and(bool a, bool b) { return a & b; }
ATOM bool logical_or(bool a, bool b) { return a | b; }
ATOM bool logical_xor(bool a, bool b) { return a != b; }
ATOM bool logical_not(bool a) { return !a; }
template <class T> ATOM T select(bool c, T a, T b) { return c ? a : b; }

ATOM int32_t bitsOf(float x) { return __builtin_bit_cast(int32_t, x); }
ATOM float floatOf(int32_t x) { return __builtin_bit_cast(float, x); }

template <class T> ATOM T abs(T x) {
  if constexpr (sizeof(T) == 8 && isFloat<T>) return __builtin_fabs(x);
  else if constexpr (isFloat<T>) return __builtin_fabsf(x);
  else return x < 0 ? neg(x) : x;
}
template <class T> ATOM T sign(T x) {
  if constexpr (isFloat<T>) return x > 0 ? T(1) : x < 0 ? T(-1) : x;
  else return static_cast<T>((x > 0) - (x < 0));
}
template <class T> ATOM T copysign(T x, T s) {
  if constexpr (sizeof(T) == 8) return __builtin_copysign(x, s);
  else return __builtin_copysignf(x, s);
}

#define ROUNDING(name, builtin)                                                                                        \
  template <class T> ATOM T name(T x) {                                                                                \
    if constexpr (!isFloat<T>) return x;                                                                               \
    else if constexpr (sizeof(T) == 8) return __builtin_##builtin(x);                                                  \
    else return __builtin_##builtin##f(x);                                                                             \
  }
ROUNDING(floor, floor)
ROUNDING(ceil, ceil)
ROUNDING(trunc, trunc)
ROUNDING(round, nearbyint)
#undef ROUNDING

ATOM float sqrt(float x) { return __builtin_sqrtf(x); }
ATOM double sqrt(double x) { return __builtin_sqrt(x); }
ATOM float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
ATOM double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }

/// NaN from either side (a sum keeps it). Equal operands differ at most in the sign of a zero.
template <class T> ATOM T maximum(T a, T b) {
  if constexpr (!isFloat<T>) return a > b ? a : b;
  else return a > b ? a : b > a ? b : a == b ? (copysign(T(1), a) > 0 ? a : b) : a + b;
}
template <class T> ATOM T minimum(T a, T b) {
  if constexpr (!isFloat<T>) return a < b ? a : b;
  else return a < b ? a : b < a ? b : a == b ? (copysign(T(1), a) < 0 ? a : b) : a + b;
}

ATOM int32_t toInt(float x) { return static_cast<int32_t>(x); }
ATOM float toFloat(int32_t x) { return static_cast<float>(x); }
ATOM int32_t addInt(int32_t a, int32_t b) { return static_cast<int32_t>(wrap(a) + wrap(b)); }
ATOM int32_t subInt(int32_t a, int32_t b) { return static_cast<int32_t>(wrap(a) - wrap(b)); }
ATOM int32_t andInt(int32_t a, int32_t b) { return a & b; }
ATOM int32_t orInt(int32_t a, int32_t b) { return a | b; }
ATOM int32_t xorInt(int32_t a, int32_t b) { return a ^ b; }
ATOM int32_t shlInt(int32_t a, int32_t b) { return static_cast<int32_t>(wrap(a) << b); }
ATOM int32_t sarInt(int32_t a, int32_t b) { return a >> b; }

/// x * 2^n with one rounding, for |n| below 252: the first factor is exact, since it lies far from both limits.
ATOM float scale(float x, int32_t n) {
  const int32_t half = n >> 1;
  return x * floatOf((half + 127) << 23) * floatOf((n - half + 127) << 23);
}

// f64: the platform's library, which compiled code calls too.
ATOM double exp(double x) { return ::exp(x); }
ATOM double exp2(double x) { return ::exp2(x); }
ATOM double expm1(double x) { return ::expm1(x); }
ATOM double log(double x) { return ::log(x); }
ATOM double log1p(double x) { return ::log1p(x); }
ATOM double tanh(double x) { return ::tanh(x); }
ATOM double erf(double x) { return ::erf(x); }
ATOM double erfc(double x) { return ::erfc(x); }

#include "eager/ScalarFns.inc"

#undef ATOM

} // namespace scalar
} // namespace
} // namespace tensorjit::eager::TENSORJIT_LEVEL
