#pragma once
/// Conversions between f32 and the bits of f16 and bf16, rounding to nearest even; without branches, so that loops over
/// them become vectors. Denormals are kept.
#include <cstdint>

namespace tensorjit {

[[gnu::always_inline]] inline uint32_t bitsOf(float x) {
  uint32_t u;
  __builtin_memcpy(&u, &x, sizeof u);
  return u;
}
[[gnu::always_inline]] inline float floatOf(uint32_t u) {
  float x;
  __builtin_memcpy(&x, &u, sizeof x);
  return x;
}

[[gnu::always_inline]] inline float halfToFloat(uint16_t h) {
  constexpr uint32_t exponent = 0x7c00u << 13, denormal = 113u << 23;
  const uint32_t magnitude = (h & 0x7fffu) << 13, e = magnitude & exponent;
  const uint32_t normal = magnitude + (112u << 23);
  const uint32_t special = magnitude + (224u << 23);
  const uint32_t small = bitsOf(floatOf(magnitude + denormal) - floatOf(denormal));
  const uint32_t u = e == exponent ? special : e == 0 ? small : normal;
  return floatOf(u | (h & 0x8000u) << 16);
}

[[gnu::always_inline]] inline uint16_t floatToHalf(float x) {
  const uint32_t u = bitsOf(x) & 0x7fffffffu, sign = (bitsOf(x) & 0x80000000u) >> 16;
  const uint32_t large = u > 0x7f800000u ? 0x7e00u : 0x7c00u; // NaN, or beyond the largest exponent
  const uint32_t normal = (u - (112u << 23) + 0xfffu + (u >> 13 & 1)) >> 13;
  // Adding 0.5 leaves the multiples of 2^-24, the smallest f16, in the low bits.
  const uint32_t small = bitsOf(floatOf(u) + 0.5f) - bitsOf(0.5f);
  return static_cast<uint16_t>((u >= 143u << 23 ? large : u < 113u << 23 ? small : normal) | sign);
}

[[gnu::always_inline]] inline float bfloatToFloat(uint16_t b) { return floatOf(static_cast<uint32_t>(b) << 16); }

[[gnu::always_inline]] inline uint16_t floatToBFloat(float x) {
  const uint32_t u = bitsOf(x), rounded = (u + 0x7fffu + (u >> 16 & 1)) >> 16;
  return static_cast<uint16_t>((u & 0x7fffffffu) > 0x7f800000u ? u >> 16 | 0x40u : rounded);
}

} // namespace tensorjit
