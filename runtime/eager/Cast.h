#pragma once
#include "tensorjit/dtype.h"

namespace tensorjit::eager {

/// Converts `n` dense elements. Float to integer truncates and saturates, NaN becomes 0; integers wrap; to bool is
/// x != 0; to f16 and bf16 from the nearest f32, to nearest even.
void castDense(const void *from, DType fromType, void *to, DType toType, int64_t n);

} // namespace tensorjit::eager
