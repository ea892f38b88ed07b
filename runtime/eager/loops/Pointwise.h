#pragma once
#include "eager/loops/Level.h"
#include "op/OpInfo.h"

namespace tensorjit::eager {

/// Runs a pointwise op over `n` positions of dense memory. `in` and `out` point at arrays of the operands' and results'
/// element types (bool: one byte, 0 or 1). A result may be the same memory as an operand, but not overlap one
/// otherwise.
using PointwiseFn = void (*)(const void *const *in, void *const *out, int64_t n);

/// The loop of a pointwise op on operands of `type` (those that are not a bool condition or flag). Null: the op is of
/// another family, or the record does not accept that dtype.
#define TENSORJIT_FAMILY(Family) TENSORJIT_LOOP(PointwiseFn, loopOf##Family, OpId op, DType type)
#include "op/ScalarFamilies.inc"
#undef TENSORJIT_FAMILY

} // namespace tensorjit::eager
