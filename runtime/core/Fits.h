#pragma once
#include "tensorjit/dtype.h"
#include "tensorjit/scalar.h"

namespace tensorjit {

/// Throws `value_error` for an integer that `type` cannot hold. Floating numbers round like a cast.
void requireFits(Scalar value, DType type);

} // namespace tensorjit
