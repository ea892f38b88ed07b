#pragma once
#include "eager/loops/Level.h"
#include "tensorjit/dtype.h"

#include <cstdint>

namespace tensorjit::eager {

/// Unsigned keys that order as elements do, NaN last and -0 as +0; with `descending` the other way round. Elements are
/// `stride` apart. Keys of 32 bits are for dtypes of up to four bytes.
TENSORJIT_LOOP(void, orderKeys32, DType type, const void *x, int64_t stride, int64_t n, bool descending, uint32_t *keys)
TENSORJIT_LOOP(void, orderKeys64, DType type, const void *x, int64_t stride, int64_t n, bool descending, uint64_t *keys)

/// The first of the keys [from, n) below `bound`; n where there is none.
TENSORJIT_LOOP(int64_t, firstBelow32, const uint32_t *keys, int64_t from, int64_t n, uint32_t bound)
TENSORJIT_LOOP(int64_t, firstBelow64, const uint64_t *keys, int64_t from, int64_t n, uint64_t bound)

} // namespace tensorjit::eager
