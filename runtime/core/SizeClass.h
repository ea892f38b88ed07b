#pragma once
#include <bit>
#include <cstddef>

namespace tensorjit {

/// Size classes of memory grow in quarters of a power of two, so at most a fifth of a block is unused.
inline constexpr size_t sizeClassesPerDoubling = 4;
inline constexpr size_t numSizeClasses = 48 * sizeClassesPerDoubling;
inline constexpr size_t smallestSizeClass = 64;

inline size_t sizeClassOf(size_t bytes) {
  bytes = bytes < smallestSizeClass ? smallestSizeClass : bytes;
  const size_t power = std::bit_width(bytes - 1) - 1; // 2^power < bytes <= 2^(power+1)
  const size_t quarter = (bytes - 1 - (size_t(1) << power)) >> (power - 2);
  return (power - 5) * sizeClassesPerDoubling + quarter;
}

inline size_t bytesOfSizeClass(size_t c) {
  const size_t power = c / sizeClassesPerDoubling + 5, quarter = c % sizeClassesPerDoubling;
  return (size_t(1) << power) + (quarter + 1) * (size_t(1) << (power - 2));
}

} // namespace tensorjit
