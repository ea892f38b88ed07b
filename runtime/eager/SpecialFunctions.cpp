#include "eager/SpecialFunctions.h"

#include <cmath>
#include <limits>
#include <numbers>

// Of the C library's, only this one keeps the sign of gamma in the caller's hands.
extern "C" double lgamma_r(double, int *);

namespace tensorjit::eager {

double lgammaF64(double x) {
  int sign;
  return ::lgamma_r(x, &sign);
}

namespace {

constexpr long double pi = std::numbers::pi_v<long double>;

/// For x > 0: up to 12 by psi(x) = psi(x + 1) - 1 / x, beyond it the asymptotic series with the Bernoulli numbers
/// B(2k) / 2k. The sums have 11 bits more than f64, which keep the digits near the zero at 1.46.
long double digammaAboveZero(long double x) {
  long double terms = 0;
  for (; x < 12; ++x) terms -= 1 / x;
  constexpr long double b[] = {1.0L / 12,       -1.0L / 120, 1.0L / 252,      -1.0L / 240,      1.0L / 132,
                               -691.0L / 32760, 1.0L / 12,   -3617.0L / 8160, 43867.0L / 14364, -174611.0L / 6600};
  const long double square = 1 / (x * x);
  long double series = 0;
  for (int k = 9; k >= 0; --k) series = (series + b[k]) * square;
  return std::log(x) - 0.5L / x - series + terms;
}

} // namespace

double digammaF64(double x) {
  if (x == 0) return std::copysign(std::numeric_limits<double>::infinity(), -x);
  if (x > 0 || std::isnan(x)) return static_cast<double>(std::isinf(x) ? x : digammaAboveZero(x));
  const long double turn = static_cast<long double>(x) - std::nearbyint(x); // NaN for -inf
  if (turn == 0 || std::isinf(x)) return std::numeric_limits<double>::quiet_NaN();
  // psi(x) = psi(1 - x) - pi / tan(pi x)
  return static_cast<double>(digammaAboveZero(1 - static_cast<long double>(x)) -
                             pi * std::cos(pi * turn) / std::sin(pi * turn));
}

// Newton's steps on erf(y) = x near 0 and on log(erfc(y)) = log(1 - x) elsewhere, where erf has lost the digits.
double erfinvF64(double x) {
  const long double a = std::fabs(static_cast<long double>(x)), rest = 1 - a;
  if (!(rest > 0)) return rest == 0 ? std::copysign(std::numeric_limits<double>::infinity(), x) : std::nan("");
  const long double slope = 2 / std::sqrt(pi);
  long double y;
  if (a < 0.5L) {
    y = a / slope;
    for (int i = 0; i < 5; ++i) y -= (std::erf(y) - a) / (slope * std::exp(-y * y));
  } else {
    const long double wanted = std::log(rest);
    y = std::sqrt(-std::log(rest * (1 + a)));
    for (int i = 0; i < 6; ++i) {
      const long double tail = std::erfc(y);
      y += (std::log(tail) - wanted) * tail / (slope * std::exp(-y * y));
    }
  }
  return std::copysign(static_cast<double>(y), x);
}

} // namespace tensorjit::eager
