#pragma once
/// The rounds of Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011). Compiled code
/// has them in compiler/lower/Random.cpp.
#include <cstdint>

namespace tensorjit {

/// Turns the counter `c` into four random words. Inlined always: the inner loops of eager kernels are compiled for
/// several CPUs, and the linker must not take one CPU's copy for all.
[[gnu::always_inline]] inline void philoxRounds(uint32_t (&c)[4], uint64_t seed) {
  auto k0 = static_cast<uint32_t>(seed), k1 = static_cast<uint32_t>(seed >> 32);
#pragma GCC unroll 10
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t(0xD2511F53) * c[0], p1 = uint64_t(0xCD9E8D57) * c[2];
    const uint32_t from1 = c[1], from3 = c[3];
    c[0] = static_cast<uint32_t>(p1 >> 32) ^ from1 ^ k0;
    c[1] = static_cast<uint32_t>(p1);
    c[2] = static_cast<uint32_t>(p0 >> 32) ^ from3 ^ k1;
    c[3] = static_cast<uint32_t>(p0);
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
}

} // namespace tensorjit
