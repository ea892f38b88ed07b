#pragma once
#include "eager/loops/Level.h"

#include <cstdint>

namespace tensorjit::eager {

/// What a generator of this seed gives from its block `first` on: four words a block, `blocks` blocks.
TENSORJIT_LOOP(void, randomWords, uint64_t seed, uint64_t first, int64_t blocks, uint32_t *words)

/// Two normals of each pair of words; of f64 one of each two words, two of each block.
TENSORJIT_LOOP(void, normalsF32, const uint32_t *words, int64_t pairs, float *out)
TENSORJIT_LOOP(void, normalsF64, const uint32_t *words, int64_t pairs, double *out)

} // namespace tensorjit::eager
