#pragma once
/// The scalar operations that op records are written in, for C++ types. Included by files compiled once a CPU level, so
/// everything lives inside that level's namespace and nothing here calls an inline function of the standard library.
#include "eager/SpecialFunctions.h"

#include <cstdint>

extern "C" {
double exp(double), exp2(double), expm1(double), log(double), log1p(double), tanh(double), erf(double), erfc(double);
double log2(double), log10(double), sin(double), cos(double), tan(double), asin(double), acos(double), atan(double);
double sinh(double), cosh(double), asinh(double), acosh(double), atanh(double), pow(double, double);
double atan2(double, double), fmod(double, double);
float log2f(float), log10f(float), sinf(float), cosf(float), tanf(float), asinf(float), acosf(float), atanf(float);
float sinhf(float), coshf(float), asinhf(float), acoshf(float), atanhf(float), powf(float, float);
float atan2f(float, float), fmodf(float, float);
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

ATOM float fmod(float a, float b) { return ::fmodf(a, b); }
ATOM double fmod(double a, double b) { return ::fmod(a, b); }
/// Integers by 0 stay; by -1 the quotient may overflow, the remainder is 0.
template <class T> ATOM T fmod(T a, T b) {
  return b == 0 ? a : static_cast<int64_t>(b) == -1 ? T(0) : static_cast<T>(a % b);
}

/// Exact for finite operands; infinities as the formula gives them.
template <class T> ATOM T floor_divide(T a, T b) {
  if constexpr (isFloat<T>) {
    const T m = fmod(a, b), q0 = (a - m) / b, q = m != 0 && (b < 0) != (m < 0) ? q0 - 1 : q0, f = floor(q);
    const T r = q == 0 ? copysign(T(0), a / b) : q - f > T(0.5) ? f + 1 : f;
    return b == 0 ? a / b : r;
  } else {
    if (b == 0) return 0;
    if (static_cast<int64_t>(b) == -1) return neg(a);
    const T q = static_cast<T>(a / b);
    return a % b != 0 && (a < 0) != (b < 0) ? static_cast<T>(q - 1) : q;
  }
}

template <class T> ATOM T bitAnd(T a, T b) { return static_cast<T>(a & b); }
template <class T> ATOM T bitOr(T a, T b) { return static_cast<T>(a | b); }
template <class T> ATOM T bitXor(T a, T b) { return static_cast<T>(a ^ b); }
template <class T> ATOM T bitNot(T a) {
  if constexpr (isBool<T>) return !a;
  else return static_cast<T>(~a);
}
template <class T> inline constexpr int width = 8 * sizeof(T);
/// As if the integer had bits without end.
template <class T> ATOM T shiftLeft(T a, T b) {
  const bool inside = b >= 0 && b < width<T>;
  return inside ? static_cast<T>(wrap(a) << (inside ? b : 0)) : T(0);
}
template <class T> ATOM T shiftRight(T a, T b) {
  const bool inside = b >= 0 && b < width<T>;
  return inside ? static_cast<T>(a >> (inside ? b : 0)) : a < 0 ? static_cast<T>(-1) : T(0);
}

ATOM float pow(float a, float b) { return ::powf(a, b); }
ATOM double pow(double a, double b) { return ::pow(a, b); }
/// Modulo 2^width; exponents below 0: 1 stays, -1 alternates, the rest is 0.
template <class T> ATOM T pow(T a, T b) {
  if (b < 0) return a == T(1) ? a : a == static_cast<T>(-1) ? (b & 1 ? a : T(1)) : T(0);
  auto base = wrap(a), result = wrap(T(1));
  for (uint64_t e = static_cast<uint64_t>(b); e; e >>= 1) {
    if (e & 1) result *= base;
    base *= base;
  }
  return static_cast<T>(result);
}
ATOM float atan2(float a, float b) { return ::atan2f(a, b); }
ATOM double atan2(double a, double b) { return ::atan2(a, b); }

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
ATOM double erfinv(double x) { return erfinvF64(x); }
ATOM double lgamma(double x) { return lgammaF64(x); }
ATOM double digamma(double x) { return digammaF64(x); }

#define LIBRARY(name)                                                                                                  \
  ATOM double name(double x) { return ::name(x); }                                                                     \
  ATOM float name(float x) { return ::name##f(x); }
LIBRARY(log2)
LIBRARY(log10)
LIBRARY(sin)
LIBRARY(cos)
LIBRARY(tan)
LIBRARY(asin)
LIBRARY(acos)
LIBRARY(atan)
LIBRARY(sinh)
LIBRARY(cosh)
LIBRARY(asinh)
LIBRARY(acosh)
LIBRARY(atanh)
#undef LIBRARY

#include "eager/ScalarFns.inc"

#undef ATOM

} // namespace scalar
} // namespace
} // namespace tensorjit::eager::TENSORJIT_LEVEL
