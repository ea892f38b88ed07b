#pragma once
#include "decode/Builder.h"

namespace cudasim::floating {

inline bool isFloat(ptx::Type t) {
  return t == ptx::Type::F32 || t == ptx::Type::F64 || t == ptx::Type::F16 || t == ptx::Type::F16x2 ||
         t == ptx::Type::BF16 || t == ptx::Type::BF16x2;
}
/// add, sub, mul, fma, mad, div, min, max, abs, neg of floating-point types.
void decodeArithmetic(Builder &b);

} // namespace cudasim::floating
