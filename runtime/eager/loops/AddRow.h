#pragma once
#include "eager/loops/Level.h"
#include "tensorjit/dtype.h"

#include <cstdint>

namespace tensorjit::eager {

/// y[i] += x[i] for `n` elements of f32, f64 or an integer dtype that is computed in; integers wrap.
TENSORJIT_LOOP(void, addRow, DType type, void *y, const void *x, int64_t n)

} // namespace tensorjit::eager
