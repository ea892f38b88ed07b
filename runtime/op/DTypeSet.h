#pragma once
/// Which dtypes an op accepts.
#include "tensorjit/dtype.h"

namespace tensorjit {

struct DTypeSet {
  uint32_t bits = 0;
  const char *text = ""; ///< as messages say it
  constexpr bool contains(DType t) const { return bits >> static_cast<uint8_t>(t) & 1; }
};

namespace dtypes {
constexpr uint32_t bit(DType t) { return 1u << static_cast<uint8_t>(t); }
inline constexpr uint32_t integerBits =
    bit(DType::U8) | bit(DType::I8) | bit(DType::I16) | bit(DType::I32) | bit(DType::I64);
inline constexpr uint32_t floatBits = bit(DType::F16) | bit(DType::BF16) | bit(DType::F32) | bit(DType::F64);
inline constexpr DTypeSet boolean{bit(DType::Bool), "bool"};
inline constexpr DTypeSet index{bit(DType::I32) | bit(DType::I64), "i64 or i32"};
inline constexpr DTypeSet integers{integerBits, "an integer"};
inline constexpr DTypeSet integral{boolean.bits | integerBits, "an integer or bool"};
inline constexpr DTypeSet floating{floatBits, "a float"};
inline constexpr DTypeSet numeric{integerBits | floatBits, "an integer or float"};
inline constexpr DTypeSet any{boolean.bits | integerBits | floatBits, "any dtype"};
} // namespace dtypes

} // namespace tensorjit
