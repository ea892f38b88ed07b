#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

/// The formats below 32 bits. Values pass through double, which holds all of them, and float, exactly.
namespace cudasim {

enum class Round : uint8_t { Nearest, Zero, Down, Up, NearestAway };

struct Format {
  int exponentBits, mantissaBits;
  bool hasInfinity;
};
constexpr Format formatF16{5, 10, true}, formatBF16{8, 7, true}, formatTF32{8, 10, true}, formatE4M3{4, 3, false},
    formatE5M2{5, 2, true}, formatF32{8, 23, true};

/// Rounds once. NaN becomes the format's canonical one, and without an infinity values beyond the largest become NaN
/// unless `saturate` asks for the largest.
inline uint32_t encode(double x, Format f, Round mode = Round::Nearest, bool saturate = false) {
  int bias = (1 << (f.exponentBits - 1)) - 1;
  uint32_t sign = (std::signbit(x) ? 1u : 0u) << (f.exponentBits + f.mantissaBits);
  uint32_t allOnes = (1u << (f.exponentBits + f.mantissaBits)) - 1;
  uint32_t infinity = ((1u << f.exponentBits) - 1) << f.mantissaBits;
  uint32_t largest = f.hasInfinity ? infinity - 1 : allOnes - 1;
  if (x != x) return allOnes;
  double a = std::fabs(x);
  if (a == 0) return sign;
  if (std::isinf(a)) return saturate ? sign | largest : f.hasInfinity ? sign | infinity : allOnes;
  int e = std::max(std::ilogb(a), 1 - bias);
  double q = std::ldexp(a, f.mantissaBits - e); // in units of the last place
  double whole = std::floor(q), rest = q - whole;
  bool up = false;
  switch (mode) {
  case Round::Nearest: up = rest > 0.5 || (rest == 0.5 && std::fmod(whole, 2) != 0); break;
  case Round::NearestAway: up = rest >= 0.5; break;
  case Round::Zero: break;
  case Round::Down: up = rest > 0 && std::signbit(x); break;
  case Round::Up: up = rest > 0 && !std::signbit(x); break;
  }
  auto units = static_cast<uint64_t>(whole) + (up ? 1 : 0);
  // The hidden bit carries into the exponent by itself.
  uint64_t bits = (static_cast<uint64_t>(e + bias - 1) << f.mantissaBits) + units;
  if (bits > largest) {
    bool towardZero =
        mode == Round::Zero || (mode == Round::Down && !std::signbit(x)) || (mode == Round::Up && std::signbit(x));
    if (saturate || (towardZero && f.hasInfinity)) return sign | largest;
    return f.hasInfinity ? sign | infinity : allOnes;
  }
  return sign | static_cast<uint32_t>(bits);
}

inline float decode(uint32_t bits, Format f) {
  int bias = (1 << (f.exponentBits - 1)) - 1;
  uint32_t mantissa = bits & ((1u << f.mantissaBits) - 1);
  auto exponent = static_cast<int>(bits >> f.mantissaBits & ((1u << f.exponentBits) - 1));
  float sign = bits >> (f.exponentBits + f.mantissaBits) & 1 ? -1.f : 1.f;
  bool top = exponent == (1 << f.exponentBits) - 1;
  if (f.hasInfinity && top) return mantissa ? std::bit_cast<float>(0x7fffffffu) : sign * INFINITY;
  if (!f.hasInfinity && top && mantissa == (1u << f.mantissaBits) - 1) return std::bit_cast<float>(0x7fffffffu);
  if (!exponent) return sign * std::ldexp(static_cast<float>(mantissa), 1 - bias - f.mantissaBits);
  return sign * std::ldexp(static_cast<float>(mantissa | 1u << f.mantissaBits), exponent - bias - f.mantissaBits);
}

inline float fromF16(uint32_t bits) {
  if ((bits & 0x7fff) > 0x7c00) return std::bit_cast<float>(0x7fffffffu);
#ifdef __FLT16_MAX__
  return static_cast<float>(std::bit_cast<_Float16>(static_cast<uint16_t>(bits)));
#else
  return decode(bits & 0xffff, formatF16);
#endif
}
inline uint32_t toF16(float x) {
  if (x != x) return 0x7fff;
#ifdef __FLT16_MAX__
  return std::bit_cast<uint16_t>(static_cast<_Float16>(x));
#else
  return encode(x, formatF16);
#endif
}
inline float fromBF16(uint32_t bits) { return std::bit_cast<float>(bits << 16); }
inline uint32_t toBF16(float x) {
  auto bits = std::bit_cast<uint32_t>(x);
  return x != x ? 0x7fffu : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

/// a * b + c in double with the inexact bits folded into the last one ("round to odd"): rounding the result once more,
/// to 11 bits or fewer, equals rounding the exact value. a * b must be exact.
inline double sumToOdd(double product, double c) {
  double s = product + c;
  if (!std::isfinite(s)) return s;
  double back = s - product;
  double error = (product - (s - back)) + (c - back);
  if (error != 0 && !(std::bit_cast<uint64_t>(s) & 1)) s = std::nextafter(s, error > 0 ? INFINITY : -INFINITY);
  return s;
}

} // namespace cudasim
