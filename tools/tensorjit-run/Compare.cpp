#include "Compare.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace tensorjit::run {
namespace {

struct FloatFormat {
  int mantissaBits, minExponent, maxExponent;
};

FloatFormat format(DType t) {
  switch (t) {
  case DType::F16: return {10, -14, 15};
  case DType::BF16: return {7, -126, 127};
  case DType::F32: return {23, -126, 127};
  default: return {52, -1022, 1023};
  }
}

/// Distance of neighbouring values of `t` at `e`.
double spacing(DType t, double e) {
  auto f = format(t);
  if (!std::isfinite(e)) return 0;
  int exponent = e == 0 ? f.minExponent : std::max(std::ilogb(e), f.minExponent);
  return std::ldexp(1.0, exponent - f.mantissaBits);
}

/// `e` rounded to nearest even in `t`.
double roundTo(DType t, double e) {
  if (t == DType::F64 || !std::isfinite(e)) return e;
  if (t == DType::F32) return static_cast<double>(static_cast<float>(e));
  double unit = spacing(t, e), rounded = std::nearbyint(e / unit) * unit;
  return std::abs(rounded) >= std::ldexp(1.0, format(t).maxExponent + 1) ? std::copysign(INFINITY, e) : rounded;
}

std::string text(double v) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.9g", v);
  return buffer;
}

std::string position(const Shape &sizes, int64_t i) {
  std::string out;
  for (size_t d = sizes.rank(); d-- > 0; i /= sizes[d])
    out = std::to_string(i % sizes[d]) + (out.empty() ? "" : ",") + out;
  return "[" + out + "]";
}

bool sameNumber(double a, double b, bool signedZero) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && (!signedZero || a != 0 || std::signbit(a) == std::signbit(b));
}

class Comparison {
public:
  Comparison(const RawTensor &result, const RawTensor &expected, const Bound &bound)
      : result_(result), expected_(expected), bound_(bound) {}

  bool passes(int64_t i) const {
    if (!isFloat(result_.dtype))
      return isFloat(expected_.dtype) ? static_cast<double>(result_.integer(i)) == expected_.number(i)
                                      : result_.integer(i) == expected_.integer(i);
    double got = result_.number(i), e = expected_.number(i), r = roundTo(result_.dtype, e);
    bool zeros = bound_.signedZero() && (bound_.exact() || e == 0);
    if (sameNumber(got, r, zeros)) return true;
    if (bound_.exact() || std::isnan(got) || std::isnan(e)) return false;
    if (got == 0 && e == 0) return !zeros;
    // Overflow may come one rounding early, but not for f64.
    if (std::isinf(got) && result_.dtype != DType::F64)
      got = std::copysign(std::ldexp(1.0, format(result_.dtype).maxExponent + 1), got);
    return std::abs(got - e) <= limit(i);
  }

  double limit(int64_t i) const {
    double e = expected_.number(i);
    double atol = bound_.atolPerElement ? bound_.atolPerElement->number(i) : bound_.atol;
    return atol + bound_.rtol * std::abs(e) + bound_.ulp * spacing(result_.dtype, e);
  }

  std::string describe(int64_t i) const {
    std::string out = "at " + position(result_.sizes, i) + ": got ";
    if (!isFloat(result_.dtype))
      return out + std::to_string(result_.integer(i)) + ", expected " +
             (isFloat(expected_.dtype) ? text(expected_.number(i)) : std::to_string(expected_.integer(i)));
    out += text(result_.number(i)) + ", expected " + text(expected_.number(i));
    return bound_.exact() ? out : out + " +- " + text(limit(i));
  }

private:
  const RawTensor &result_, &expected_;
  const Bound &bound_;
};

} // namespace

std::optional<std::string> difference(const RawTensor &result, const RawTensor &expected, const Bound &bound) {
  if (result.sizes != expected.sizes) return "sizes " + result.sizes.str() + ", expected " + expected.sizes.str();
  Comparison comparison(result, expected, bound);
  int64_t first = -1, count = 0, n = result.numel();
  for (int64_t i = 0; i < n; ++i) {
    if (comparison.passes(i)) continue;
    if (count++ == 0) first = i;
  }
  if (count == 0) return std::nullopt;
  return comparison.describe(first) + " (" + std::to_string(count) + " of " + std::to_string(n) + ")";
}

} // namespace tensorjit::run
