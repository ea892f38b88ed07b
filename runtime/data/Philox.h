#pragma once
#include <array>
#include <cstdint>

namespace tensorjit::data {

/// Streams of the loader's random numbers; tensor ops draw from stream 0, so neither moves the other.
inline constexpr uint32_t kOrderStream = 1, kExampleStream = 2;

/// One block of Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011).
inline std::array<uint32_t, 4> philox(uint64_t seed, std::array<uint32_t, 4> counter) {
  uint32_t k0 = static_cast<uint32_t>(seed), k1 = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
    uint64_t p0 = uint64_t{0xD2511F53u} * counter[0], p1 = uint64_t{0xCD9E8D57u} * counter[2];
    counter = {static_cast<uint32_t>(p1 >> 32) ^ counter[1] ^ k0, static_cast<uint32_t>(p1),
               static_cast<uint32_t>(p0 >> 32) ^ counter[3] ^ k1, static_cast<uint32_t>(p0)};
  }
  return counter;
}

/// 64 random bits for one index of one epoch: words 0 and 1 of the block at (index, stream, epoch).
inline uint64_t philoxWord(uint64_t seed, uint64_t epoch, uint32_t stream, int64_t index) {
  auto block = philox(seed ^ (epoch >> 32 << 32), {static_cast<uint32_t>(index), static_cast<uint32_t>(index >> 32),
                                                   stream, static_cast<uint32_t>(epoch)});
  return block[0] | uint64_t{block[1]} << 32;
}

} // namespace tensorjit::data
