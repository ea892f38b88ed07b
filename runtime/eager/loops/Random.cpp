#include "eager/loops/Random.h"
#include "core/Philox.h"
#include "eager/ScalarAtoms.h"

namespace tensorjit::eager {
namespace TENSORJIT_LEVEL {

void randomWords(uint64_t seed, uint64_t first, int64_t blocks, uint32_t *words) {
#pragma GCC ivdep
  for (int64_t i = 0; i < blocks; ++i) {
    const uint64_t block = first + static_cast<uint64_t>(i);
    uint32_t c[4] = {static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32), 0, 0};
    philoxRounds(c, seed);
    words[4 * i] = c[0];
    words[4 * i + 1] = c[1];
    words[4 * i + 2] = c[2];
    words[4 * i + 3] = c[3];
  }
}

// u in (0, 1] and t in [0, 1); sin(2 pi t) is cos(2 pi (t - 1/4)), and the difference is exact.
void normalsF32(const uint32_t *words, int64_t pairs, float *out) {
#pragma GCC ivdep
  for (int64_t j = 0; j < pairs; ++j) {
    const float u = static_cast<float>(static_cast<int32_t>(words[2 * j] >> 8) + 1) * 0x1p-24f;
    const float t = static_cast<float>(static_cast<int32_t>(words[2 * j + 1] >> 8)) * 0x1p-24f;
    const float r = scalar::sqrt(-2.0f * scalar::log(u));
    out[2 * j] = r * scalar::cosTurns(t);
    out[2 * j + 1] = r * scalar::cosTurns(t - 0.25f);
  }
}

void normalsF64(const uint32_t *words, int64_t pairs, double *out) {
  for (int64_t j = 0; j < pairs; ++j) {
    const uint32_t *w = words + 4 * j;
    const double u = static_cast<double>(static_cast<int64_t>((w[0] | uint64_t(w[1]) << 32) >> 11) + 1) * 0x1p-53;
    const double t = static_cast<double>(static_cast<int64_t>((w[2] | uint64_t(w[3]) << 32) >> 11)) * 0x1p-53;
    const double r = scalar::sqrt(-2.0 * scalar::log(u)), angle = 0x1.921fb54442d18p+2 * t;
    out[2 * j] = r * scalar::cos(angle);
    out[2 * j + 1] = r * scalar::sin(angle);
  }
}

} // namespace TENSORJIT_LEVEL
} // namespace tensorjit::eager
