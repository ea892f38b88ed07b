#pragma once
#include <cstddef>
#include <cstdint>

namespace tensorjit {

/// Element types. F16, BF16, I8 and I16 are named so that files and messages can speak of them; creating a
/// tensor of a type that no kernel serves yet throws `not_supported`.
enum class DType : uint8_t { Bool, U8, I8, I16, I32, I64, F16, BF16, F32, F64 };

inline constexpr DType kBool = DType::Bool, kUInt8 = DType::U8, kByte = DType::U8, kInt32 = DType::I32,
                       kInt = DType::I32, kInt64 = DType::I64, kLong = DType::I64, kFloat32 = DType::F32,
                       kFloat = DType::F32, kFloat64 = DType::F64, kDouble = DType::F64;

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

} // namespace tensorjit
