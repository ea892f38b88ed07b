#pragma once
#include "decode/Builder.h"

namespace cudasim::floating {

/// 0: to nearest, 1: toward zero, 2: down, 3: up.
int roundingOf(Builder &b);
/// add, sub, mul, div, fma, sqrt and rcp in the rounding mode of Instr::small.
Handler rounded(const std::string &op, bool isDouble);
/// Arithmetic on f16, bf16 and pairs of them.
void decodeHalf(Builder &b);

} // namespace cudasim::floating
