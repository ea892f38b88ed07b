#include "eager/loops/Cast.h"
#include "core/HalfBits.h"

#include <cstdint>

namespace tensorjit::eager::TENSORJIT_LEVEL {

namespace {

template <class T> struct Limits;
template <> struct Limits<uint8_t> { static constexpr double lo = 0, end = 256; };
template <> struct Limits<int8_t> { static constexpr double lo = -128, end = 128; };
template <> struct Limits<int16_t> { static constexpr double lo = -32768, end = 32768; };
template <> struct Limits<int32_t> { static constexpr double lo = -2147483648.0, end = 2147483648.0; };
template <> struct Limits<int64_t> { static constexpr double lo = -0x1p63, end = 0x1p63; };

template <class T> constexpr bool isFloatType = static_cast<T>(0.5) != 0;

/// Bool is held in its own type so that the conversion rules can tell it from u8.
struct Byte {
  uint8_t v;
};

template <class To, class From> struct Convert {
  static To apply(From x) {
    if constexpr (isFloatType<From> && !isFloatType<To>) {
      // In range first: the conversion instructions disagree about everything else.
      constexpr From lo = static_cast<From>(Limits<To>::lo), end = static_cast<From>(Limits<To>::end);
      constexpr To least = static_cast<To>(Limits<To>::lo), most = static_cast<To>(~least);
      const bool above = x >= end, below = x <= lo;
      const From inside = !above && x > lo ? x : From(0); // NaN fails the comparison
      const To t = static_cast<To>(static_cast<int64_t>(inside));
      return above ? most : below ? least : t;
    } else {
      return static_cast<To>(x);
    }
  }
};
template <class From> struct Convert<Byte, From> {
  static Byte apply(From x) { return {static_cast<uint8_t>(x != 0)}; }
};
template <class To> struct Convert<To, Byte> {
  static To apply(Byte x) { return static_cast<To>(x.v); }
};
template <> struct Convert<Byte, Byte> {
  static Byte apply(Byte x) { return {static_cast<uint8_t>(x.v != 0)}; }
};

template <class To, class From> void loop(const void *from, void *to, int64_t n) {
  const From *__restrict a = static_cast<const From *>(from);
  To *__restrict y = static_cast<To *>(to);
  for (int64_t i = 0; i < n; ++i) y[i] = Convert<To, From>::apply(a[i]);
}

template <class To, class From, To (*convert)(From)> void halfLoop(const void *from, void *to, int64_t n) {
  const From *__restrict a = static_cast<const From *>(from);
  To *__restrict y = static_cast<To *>(to);
  for (int64_t i = 0; i < n; ++i) y[i] = convert(a[i]);
}

template <class From> CastFn to(DType type) {
  switch (type) {
  case DType::Bool: return loop<Byte, From>;
  case DType::U8: return loop<uint8_t, From>;
  case DType::I8: return loop<int8_t, From>;
  case DType::I16: return loop<int16_t, From>;
  case DType::I32: return loop<int32_t, From>;
  case DType::I64: return loop<int64_t, From>;
  case DType::F32: return loop<float, From>;
  case DType::F64: return loop<double, From>;
  default: return nullptr;
  }
}

} // namespace

CastFn castFunction(DType from, DType type) {
  if (isHalf(from)) {
    if (type != DType::F32) return nullptr;
    return from == DType::F16 ? halfLoop<float, uint16_t, halfToFloat> : halfLoop<float, uint16_t, bfloatToFloat>;
  }
  if (isHalf(type)) {
    if (from != DType::F32) return nullptr;
    return type == DType::F16 ? halfLoop<uint16_t, float, floatToHalf> : halfLoop<uint16_t, float, floatToBFloat>;
  }
  switch (from) {
  case DType::Bool: return to<Byte>(type);
  case DType::U8: return to<uint8_t>(type);
  case DType::I8: return to<int8_t>(type);
  case DType::I16: return to<int16_t>(type);
  case DType::I32: return to<int32_t>(type);
  case DType::I64: return to<int64_t>(type);
  case DType::F32: return to<float>(type);
  case DType::F64: return to<double>(type);
  default: return nullptr;
  }
}

} // namespace tensorjit::eager::TENSORJIT_LEVEL
