#include "execute/FloatDecode.h"
#include "execute/Rows.h"

#include <limits>

namespace cudasim {
namespace {

using ptx::Type;

template <class T> using Unsigned = std::make_unsigned_t<T>;
template <class T>
using Wider =
    std::conditional_t<sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>,
                       std::conditional_t<sizeof(T) == 4, std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>,
                                          std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>>>;

struct Add {
  template <class T> static T of(T a, T b) { return static_cast<T>(Unsigned<T>(a) + Unsigned<T>(b)); }
};
struct Sub {
  template <class T> static T of(T a, T b) { return static_cast<T>(Unsigned<T>(a) - Unsigned<T>(b)); }
};
struct Mul {
  template <class T> static T of(T a, T b) {
    using Safe = std::conditional_t<sizeof(T) == 2, uint32_t, Unsigned<T>>; // uint16 would multiply as int
    return static_cast<T>(Safe(Unsigned<T>(a)) * Safe(Unsigned<T>(b)));
  }
};
struct MulHi {
  template <class T> static T of(T a, T b) { return static_cast<T>((Wider<T>(a) * Wider<T>(b)) >> (sizeof(T) * 8)); }
};
struct Div {
  template <class T> static T of(T a, T b) {
    if (b == 0) return static_cast<T>(~T(0));
    if (std::is_signed_v<T> && b == T(-1)) return Sub::of(T(0), a);
    return static_cast<T>(a / b);
  }
};
struct Rem {
  template <class T> static T of(T a, T b) {
    if (b == 0) return a;
    if (std::is_signed_v<T> && b == T(-1)) return T(0);
    return static_cast<T>(a % b);
  }
};
struct Min {
  template <class T> static T of(T a, T b) { return a < b ? a : b; }
};
struct Max {
  template <class T> static T of(T a, T b) { return a > b ? a : b; }
};
struct AddSat {
  template <class T> static T of(T a, T b) {
    int64_t sum = int64_t(a) + int64_t(b);
    return static_cast<T>(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
  }
};
struct SubSat {
  template <class T> static T of(T a, T b) {
    int64_t sum = int64_t(a) - int64_t(b);
    return static_cast<T>(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
  }
};
struct Neg {
  template <class T> static T of(T a) { return Sub::of(T(0), a); }
};
struct Abs {
  template <class T> static T of(T a) { return a < 0 ? Sub::of(T(0), a) : a; }
};

template <class T, class Op> void unary(Warp &w, const Instr &in, uint32_t active) {
  map1<T, T>(w, in, active, [](T a) { return Op::of(a); });
}
template <class T, class Op> void binary(Warp &w, const Instr &in, uint32_t active) {
  map2<T, T, T>(w, in, active, [](T a, T b) { return Op::of(a, b); });
}
template <class T, class Op> void multiplyAdd(Warp &w, const Instr &in, uint32_t active) {
  map3<T, T, T, T>(w, in, active, [](T a, T b, T c) { return Add::of(Op::of(a, b), c); });
}
template <class T> void mulWide(Warp &w, const Instr &in, uint32_t active) {
  using W = Wider<T>;
  map2<W, T, T>(w, in, active, [](T a, T b) { return static_cast<W>(W(a) * W(b)); });
}
template <class T> void madWide(Warp &w, const Instr &in, uint32_t active) {
  using W = Wider<T>;
  map3<W, T, T, W>(w, in, active, [](T a, T b, W c) { return Add::of(static_cast<W>(W(a) * W(b)), c); });
}
template <class T> void madHiSat(Warp &w, const Instr &in, uint32_t active) {
  map3<T, T, T, T>(w, in, active, [](T a, T b, T c) { return AddSat::of(MulHi::of(a, b), c); });
}
template <class T> void sad(Warp &w, const Instr &in, uint32_t active) {
  map3<T, T, T, T>(w, in, active, [](T a, T b, T c) { return Add::of(c, a < b ? Sub::of(b, a) : Sub::of(a, b)); });
}
template <class T> void mul24(Warp &w, const Instr &in, uint32_t active) {
  map2<T, T, T>(w, in, active, [](T a, T b) {
    auto low = [](T v) { return static_cast<T>(static_cast<T>(Unsigned<T>(v) << 8) >> 8); };
    return Mul::of(low(a), low(b));
  });
}
template <class T> void mad24(Warp &w, const Instr &in, uint32_t active) {
  map3<T, T, T, T>(w, in, active, [](T a, T b, T c) {
    auto low = [](T v) { return static_cast<T>(static_cast<T>(Unsigned<T>(v) << 8) >> 8); };
    return Add::of(Mul::of(low(a), low(b)), c);
  });
}

/// d = a + b + carry in (aux bit 0), or a - b - borrow; the carry out is kept where aux bit 1 is set.
template <class T, bool Subtract> void withCarry(Warp &w, const Instr &in, uint32_t active) {
  const T *a = w.row<T>(in.a), *b = w.row<T>(in.b);
  T result[32];
  uint32_t carry = 0;
  for (unsigned i = 0; i < 32; ++i) {
    unsigned __int128 x = a[i], y = b[i], c = in.aux & 1 ? w.carry >> i & 1 : 0;
    unsigned __int128 sum = Subtract ? x - y - c : x + y + c;
    result[i] = static_cast<T>(sum);
    carry |= static_cast<uint32_t>(sum >> (sizeof(T) * 8) & 1) << i;
  }
  fill<T>(w, in.dst, active, [&](unsigned i) { return result[i]; });
  if (in.aux & 2) w.carry = (w.carry & ~active) | (carry & active);
}
template <class T, bool High> void madWithCarry(Warp &w, const Instr &in, uint32_t active) {
  const T *a = w.row<T>(in.a), *b = w.row<T>(in.b), *c = w.row<T>(in.c);
  T result[32];
  uint32_t carry = 0;
  for (unsigned i = 0; i < 32; ++i) {
    unsigned __int128 product = static_cast<unsigned __int128>(a[i]) * b[i];
    unsigned __int128 part = static_cast<T>(High ? product >> (sizeof(T) * 8) : product);
    unsigned __int128 sum = part + c[i] + (in.aux & 1 ? w.carry >> i & 1 : 0);
    result[i] = static_cast<T>(sum);
    carry |= static_cast<uint32_t>(sum >> (sizeof(T) * 8) & 1) << i;
  }
  fill<T>(w, in.dst, active, [&](unsigned i) { return result[i]; });
  if (in.aux & 2) w.carry = (w.carry & ~active) | (carry & active);
}
template <class T> void madHiSignedCarry(Warp &w, const Instr &in, uint32_t active) {
  using S = std::make_signed_t<T>;
  const S *a = w.row<S>(in.a), *b = w.row<S>(in.b);
  const T *c = w.row<T>(in.c);
  T result[32];
  uint32_t carry = 0;
  for (unsigned i = 0; i < 32; ++i) {
    unsigned __int128 part = static_cast<T>(static_cast<__int128>(a[i]) * b[i] >> (sizeof(T) * 8));
    unsigned __int128 sum = part + c[i] + (in.aux & 1 ? w.carry >> i & 1 : 0);
    result[i] = static_cast<T>(sum);
    carry |= static_cast<uint32_t>(sum >> (sizeof(T) * 8) & 1) << i;
  }
  fill<T>(w, in.dst, active, [&](unsigned i) { return result[i]; });
  if (in.aux & 2) w.carry = (w.carry & ~active) | (carry & active);
}

template <template <class> class Make> Handler forType(Type type) {
  switch (type) {
  case Type::U16:
  case Type::B16: return Make<uint16_t>::handler;
  case Type::S16: return Make<int16_t>::handler;
  case Type::U32:
  case Type::B32: return Make<uint32_t>::handler;
  case Type::S32: return Make<int32_t>::handler;
  case Type::U64:
  case Type::B64: return Make<uint64_t>::handler;
  case Type::S64: return Make<int64_t>::handler;
  default: return nullptr;
  }
}
template <class Op> struct Binary {
  template <class T> struct Of { static constexpr Handler handler = binary<T, Op>; };
};
template <class Op> struct Unary {
  template <class T> struct Of { static constexpr Handler handler = unary<T, Op>; };
};
template <class Op> struct Mad {
  template <class T> struct Of { static constexpr Handler handler = multiplyAdd<T, Op>; };
};
template <class T> struct Sad { static constexpr Handler handler = sad<T>; };

void emitOperands(Builder &b, Handler handler, Type type, unsigned sources, Type result) {
  if (!handler) b.refuse("the stand-in does not support this type");
  Ref rows[3] = {0, 0, 0};
  for (unsigned i = 0; i < sources; ++i) rows[i] = b.read(i + 1, type);
  Ref dst = b.write(0, result);
  b.emit(handler, OpClass::Integer, dst, rows[0], rows[1], rows[2]);
}

template <class Op> void decodeBinary(Builder &b) {
  if (floating::isFloat(b.type())) return floating::decodeArithmetic(b);
  b.allowOnly({});
  emitOperands(b, forType<Binary<Op>::template Of>(b.type()), b.type(), 2, b.type());
}
template <class Op> void decodeUnary(Builder &b) {
  if (floating::isFloat(b.type())) return floating::decodeArithmetic(b);
  b.allowOnly({});
  emitOperands(b, forType<Unary<Op>::template Of>(b.type()), b.type(), 1, b.type());
}

void emitCarry(Builder &b, Handler handler, unsigned sources) {
  Type type = b.type();
  if (ptx::byteSize(type) < 4) b.refuse("this type has no carry");
  bool takes = b.in().opcode == "addc" || b.in().opcode == "subc" || b.in().opcode == "madc";
  Ref rows[3] = {0, 0, 0};
  for (unsigned i = 0; i < sources; ++i) rows[i] = b.read(i + 1, type);
  Ref dst = b.write(0, type);
  b.emit(handler, OpClass::Integer, dst, rows[0], rows[1], rows[2]).aux = (takes ? 1u : 0u) | (b.has(".cc") ? 2u : 0u);
}

template <bool Subtract> void decodeAddSub(Builder &b) {
  Type type = b.type();
  if (floating::isFloat(type)) return floating::decodeArithmetic(b);
  b.allowOnly({".cc", ".sat"});
  if (b.has(".cc") || b.in().opcode.size() == 4) // addc, subc
    return emitCarry(b, isWideType(type) ? withCarry<uint64_t, Subtract> : withCarry<uint32_t, Subtract>, 2);
  using Op = std::conditional_t<Subtract, Sub, Add>;
  using Saturating = std::conditional_t<Subtract, SubSat, AddSat>;
  if (b.has(".sat")) return emitOperands(b, type == Type::S32 ? binary<int32_t, Saturating> : nullptr, type, 2, type);
  emitOperands(b, forType<Binary<Op>::template Of>(type), type, 2, type);
}

Type wider(Type type) {
  switch (type) {
  case Type::U16: return Type::U32;
  case Type::S16: return Type::S32;
  case Type::U32: return Type::U64;
  default: return Type::S64;
  }
}

void decodeMul(Builder &b) {
  Type type = b.type();
  if (floating::isFloat(type)) return floating::decodeArithmetic(b);
  b.allowOnly({".lo", ".hi", ".wide"});
  if (b.has(".lo")) return emitOperands(b, forType<Binary<Mul>::Of>(type), type, 2, type);
  if (b.has(".hi")) return emitOperands(b, forType<Binary<MulHi>::Of>(type), type, 2, type);
  if (!b.has(".wide")) b.refuse("one of .lo, .hi and .wide is needed");
  Handler handler = type == Type::U16   ? mulWide<uint16_t>
                    : type == Type::S16 ? mulWide<int16_t>
                    : type == Type::U32 ? mulWide<uint32_t>
                    : type == Type::S32 ? mulWide<int32_t>
                                        : nullptr;
  emitOperands(b, handler, type, 2, wider(type));
}

void decodeMad(Builder &b) {
  Type type = b.type();
  if (floating::isFloat(type)) return floating::decodeArithmetic(b);
  b.allowOnly({".lo", ".hi", ".wide", ".cc", ".sat"});
  if (b.has(".cc") || b.in().opcode == "madc") {
    bool wide = isWideType(type), high = b.has(".hi");
    Handler handler = high && isSignedType(type) ? (wide ? madHiSignedCarry<uint64_t> : madHiSignedCarry<uint32_t>)
                      : high                     ? (wide ? madWithCarry<uint64_t, true> : madWithCarry<uint32_t, true>)
                             : (wide ? madWithCarry<uint64_t, false> : madWithCarry<uint32_t, false>);
    return emitCarry(b, handler, 3);
  }
  if (b.has(".sat"))
    return emitOperands(b, b.has(".hi") && type == Type::S32 ? madHiSat<int32_t> : nullptr, type, 3, type);
  if (b.has(".lo")) return emitOperands(b, forType<Mad<Mul>::Of>(type), type, 3, type);
  if (b.has(".hi")) return emitOperands(b, forType<Mad<MulHi>::Of>(type), type, 3, type);
  Handler handler = type == Type::U16   ? madWide<uint16_t>
                    : type == Type::S16 ? madWide<int16_t>
                    : type == Type::U32 ? madWide<uint32_t>
                    : type == Type::S32 ? madWide<int32_t>
                                        : nullptr;
  if (!handler) b.refuse("the stand-in does not support this type");
  Ref x = b.read(1, type), y = b.read(2, type), z = b.read(3, wider(type));
  Ref dst = b.write(0, wider(type));
  b.emit(handler, OpClass::Integer, dst, x, y, z);
}

void decodeMul24(Builder &b) {
  b.allowOnly({".lo"});
  Type type = b.type();
  bool isSigned = type == Type::S32;
  if (b.in().opcode == "mul24") return emitOperands(b, isSigned ? mul24<int32_t> : mul24<uint32_t>, type, 2, type);
  emitOperands(b, isSigned ? mad24<int32_t> : mad24<uint32_t>, type, 3, type);
}

void decodeSad(Builder &b) {
  b.allowOnly({});
  emitOperands(b, forType<Sad>(b.type()), b.type(), 3, b.type());
}

void decodeFma(Builder &b) { floating::decodeArithmetic(b); }

constexpr Opcode opcodes[] = {{"add", decodeAddSub<false>}, {"sub", decodeAddSub<true>}, {"addc", decodeAddSub<false>},
                              {"subc", decodeAddSub<true>}, {"mul", decodeMul},          {"mad", decodeMad},
                              {"madc", decodeMad},          {"mul24", decodeMul24},      {"mad24", decodeMul24},
                              {"sad", decodeSad},           {"div", decodeBinary<Div>},  {"rem", decodeBinary<Rem>},
                              {"min", decodeBinary<Min>},   {"max", decodeBinary<Max>},  {"neg", decodeUnary<Neg>},
                              {"abs", decodeUnary<Abs>},    {"fma", decodeFma}};

} // namespace

std::span<const Opcode> integerOpcodes() { return opcodes; }

} // namespace cudasim
