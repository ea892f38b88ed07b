#pragma once
#include <cstddef>
#include <cstdint>

namespace tensorjit {

/// Element types. F16, BF16 and I16 are types of storage: an op computes in `computeType` and rounds (I16: wraps) once,
/// when it stores its result.
enum class DType : uint8_t { Bool, U8, I8, I16, I32, I64, F16, BF16, F32, F64 };

inline constexpr DType kBool = DType::Bool, kUInt8 = DType::U8, kByte = DType::U8, kInt8 = DType::I8, kChar = DType::I8,
                       kInt16 = DType::I16, kShort = DType::I16, kInt32 = DType::I32, kInt = DType::I32,
                       kInt64 = DType::I64, kLong = DType::I64, kFloat16 = DType::F16, kHalf = DType::F16,
                       kBFloat16 = DType::BF16, kFloat32 = DType::F32, kFloat = DType::F32, kFloat64 = DType::F64,
                       kDouble = DType::F64;

/// Bytes of one element.
constexpr size_t itemSize(DType t) {
  constexpr uint8_t bytes[] = {1, 1, 1, 2, 4, 8, 2, 2, 4, 8};
  return bytes[static_cast<size_t>(t)];
}
/// Short name used in messages and files: "f32", "i64", "bool" ...
constexpr const char *name(DType t) {
  constexpr const char *names[] = {"bool", "u8", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64"};
  return names[static_cast<size_t>(t)];
}
constexpr bool isFloat(DType t) { return t >= DType::F16; }
constexpr bool isInteger(DType t) { return t >= DType::U8 && t <= DType::I64; }
constexpr bool isHalf(DType t) { return t == DType::F16 || t == DType::BF16; }
/// The dtype in which ops on `t` compute: f32 for f16 and bf16, i32 for i16, else `t` itself.
constexpr DType computeType(DType t) { return isHalf(t) ? DType::F32 : t == DType::I16 ? DType::I32 : t; }

} // namespace tensorjit
