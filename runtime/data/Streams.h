#pragma once
#include "tensorjit/random.h"

namespace tensorjit::data {

/// Streams of the loader's random numbers; tensor ops draw from stream 0, so neither moves the other.
inline constexpr uint32_t kOrderStream = 1, kExampleStream = 2, kEpochStream = 3;

inline uint64_t drawWord(uint64_t seed, uint64_t block, uint32_t stream) {
  auto words = philox(seed, block, stream);
  return words[0] | uint64_t{words[1]} << 32;
}

/// 64 random bits of one index in one epoch.
inline uint64_t drawWord(uint64_t seed, uint64_t epoch, int64_t index, uint32_t stream) {
  return drawWord(drawWord(seed, epoch, kEpochStream), static_cast<uint64_t>(index), stream);
}

} // namespace tensorjit::data
