#include "decode/Builder.h"
#include "execute/Rows.h"

#include <bit>

namespace cudasim {
namespace {

using ptx::Type;

struct And {
  template <class T> static T of(T a, T b) { return a & b; }
};
struct Or {
  template <class T> static T of(T a, T b) { return a | b; }
};
struct Xor {
  template <class T> static T of(T a, T b) { return a ^ b; }
};
struct Not {
  template <class T> static T of(T a) { return static_cast<T>(~a); }
};
struct Cnot {
  template <class T> static T of(T a) { return a == 0; }
};

template <class T, class Op> void unary(Warp &w, const Instr &in, uint32_t active) {
  map1<T, T>(w, in, active, [](T a) { return Op::of(a); });
}
template <class T, class Op> void binary(Warp &w, const Instr &in, uint32_t active) {
  map2<T, T, T>(w, in, active, [](T a, T b) { return Op::template of<T>(a, b); });
}
template <class Op> void predBinary(Warp &w, const Instr &in, uint32_t active) {
  w.setPred(in.dst, Op::of(w.pred(in.a), w.pred(in.b)), active);
}
void predNot(Warp &w, const Instr &in, uint32_t active) { w.setPred(in.dst, ~w.pred(in.a), active); }

template <class Op> void decodeLogic(Builder &b) {
  b.allowOnly({});
  Type type = b.type();
  if (type == Type::Pred) {
    PredRef x = b.readPred(1), y = b.readPred(2);
    b.emit(predBinary<Op>, OpClass::Predicate, b.writePred(b.operand(0)), x, y);
    return;
  }
  Ref x = b.read(1, type), y = b.read(2, type), d = b.write(0, type);
  b.emit(isWideType(type) ? binary<uint64_t, Op> : binary<uint32_t, Op>, OpClass::Integer, d, x, y);
}

template <class Op> void decodeNot(Builder &b) {
  b.allowOnly({});
  Type type = b.type();
  if (type == Type::Pred) {
    PredRef x = b.readPred(1);
    b.emit(predNot, OpClass::Predicate, b.writePred(b.operand(0)), x);
    return;
  }
  Ref x = b.read(1, type), d = b.write(0, type);
  b.emit(isWideType(type)           ? unary<uint64_t, Op>
         : ptx::byteSize(type) == 2 ? unary<uint16_t, Op>
                                    : unary<uint32_t, Op>,
         OpClass::Integer, d, x);
}

// Shifts by the width or more leave nothing, or the sign.
template <class T> void shiftLeft(Warp &w, const Instr &in, uint32_t active) {
  map2<T, T, uint32_t>(w, in, active, [](T a, uint32_t n) {
    return static_cast<T>(n >= sizeof(T) * 8 ? T(0) : static_cast<T>(static_cast<uint64_t>(a) << (n & 63)));
  });
}
template <class T> void shiftRight(Warp &w, const Instr &in, uint32_t active) {
  map2<T, T, uint32_t>(w, in, active, [](T a, uint32_t n) {
    unsigned width = sizeof(T) * 8;
    if (std::is_signed_v<T>) return static_cast<T>(a >> (n >= width ? width - 1 : n));
    return n >= width ? T(0) : static_cast<T>(a >> n);
  });
}

void decodeShift(Builder &b) {
  b.allowOnly({});
  Type type = b.type();
  bool left = b.in().opcode == "shl";
  Handler handler = nullptr;
  switch (ptx::byteSize(type)) {
  case 2: handler = left ? shiftLeft<uint16_t> : isSignedType(type) ? shiftRight<int16_t> : shiftRight<uint16_t>; break;
  case 4: handler = left ? shiftLeft<uint32_t> : isSignedType(type) ? shiftRight<int32_t> : shiftRight<uint32_t>; break;
  case 8: handler = left ? shiftLeft<uint64_t> : isSignedType(type) ? shiftRight<int64_t> : shiftRight<uint64_t>; break;
  default: b.refuse("the stand-in does not support this type");
  }
  Ref x = b.read(1, type), n = b.read(2, Type::U32), d = b.write(0, type);
  b.emit(handler, OpClass::Integer, d, x, n);
}

template <bool Left, bool Clamp> void funnelShift(Warp &w, const Instr &in, uint32_t active) {
  map3<uint32_t, uint32_t, uint32_t, uint32_t>(w, in, active, [](uint32_t low, uint32_t high, uint32_t n) {
    n = Clamp ? std::min(n, 32u) : n & 31;
    uint64_t both = uint64_t(high) << 32 | low;
    return static_cast<uint32_t>(Left ? (both << n) >> 32 : both >> n);
  });
}

void decodeFunnel(Builder &b) {
  b.allowOnly({".l", ".r", ".clamp", ".wrap"});
  bool clamp = b.has(".clamp");
  Handler handler = b.has(".l") ? (clamp ? funnelShift<true, true> : funnelShift<true, false>)
                                : (clamp ? funnelShift<false, true> : funnelShift<false, false>);
  Ref x = b.read(1, Type::B32), y = b.read(2, Type::B32), n = b.read(3, Type::U32), d = b.write(0, Type::B32);
  b.emit(handler, OpClass::Integer, d, x, y, n);
}

template <class T> void bitFieldExtract(Warp &w, const Instr &in, uint32_t active) {
  using U = std::make_unsigned_t<T>;
  map3<T, T, uint32_t, uint32_t>(w, in, active, [](T a, uint32_t pos, uint32_t len) -> T {
    unsigned msb = sizeof(T) * 8 - 1;
    pos &= 255;
    len &= 255;
    bool negative = std::is_signed_v<T> && len && (a >> std::min(pos + len - 1, msb) & 1);
    U value = pos > msb ? U(0) : static_cast<U>(static_cast<U>(a) >> pos);
    if (len <= msb) value &= (U(1) << len) - 1;
    unsigned have = pos > msb ? 0 : std::min(len, msb + 1 - pos);
    if (negative && have <= msb) value |= static_cast<U>(~U(0) << have);
    return static_cast<T>(value);
  });
}

void decodeBfe(Builder &b) {
  b.allowOnly({});
  Type type = b.type();
  Ref x = b.read(1, type), pos = b.read(2, Type::U32), len = b.read(3, Type::U32), d = b.write(0, type);
  Handler handler = type == Type::U32   ? bitFieldExtract<uint32_t>
                    : type == Type::S32 ? bitFieldExtract<int32_t>
                    : type == Type::U64 ? bitFieldExtract<uint64_t>
                                        : bitFieldExtract<int64_t>;
  b.emit(handler, OpClass::Integer, d, x, pos, len);
}

template <class T> void bitFieldInsert(Warp &w, const Instr &in, uint32_t active) {
  const T *a = w.row<T>(in.a), *to = w.row<T>(in.b);
  const uint32_t *pos = w.row<uint32_t>(in.more[0]), *len = w.row<uint32_t>(in.more[1]);
  fill<T>(w, in.dst, active, [=](unsigned i) -> T {
    unsigned width = sizeof(T) * 8, p = pos[i] & 255, n = len[i] & 255;
    if (p >= width || !n) return to[i];
    T mask = n >= width ? ~T(0) : static_cast<T>((T(1) << n) - 1);
    mask = static_cast<T>(mask << p);
    return static_cast<T>((to[i] & ~mask) | (static_cast<T>(a[i] << p) & mask));
  });
}

void decodeBfi(Builder &b) {
  b.allowOnly({});
  Type type = b.type();
  Ref x = b.read(1, type), to = b.read(2, type), pos = b.read(3, Type::U32), len = b.read(4, Type::U32);
  Ref d = b.write(0, type);
  b.emit(isWideType(type) ? bitFieldInsert<uint64_t> : bitFieldInsert<uint32_t>, OpClass::Integer, d, x, to).more =
      b.list({pos, len});
}

template <class T, bool Shift> void bitFind(Warp &w, const Instr &in, uint32_t active) {
  using U = std::make_unsigned_t<T>;
  map1<uint32_t, T>(w, in, active, [](T a) -> uint32_t {
    U bits = static_cast<U>(std::is_signed_v<T> && a < 0 ? ~a : a);
    if (!bits) return ~0u;
    auto zeros = static_cast<uint32_t>(std::countl_zero(bits));
    return Shift ? zeros : static_cast<uint32_t>(sizeof(T) * 8 - 1) - zeros;
  });
}

void decodeBfind(Builder &b) {
  b.allowOnly({".shiftamt"});
  Type type = b.type();
  bool shift = b.has(".shiftamt");
  Ref x = b.read(1, type), d = b.write(0, Type::U32);
  Handler handler = type == Type::U32   ? (shift ? bitFind<uint32_t, true> : bitFind<uint32_t, false>)
                    : type == Type::S32 ? (shift ? bitFind<int32_t, true> : bitFind<int32_t, false>)
                    : type == Type::U64 ? (shift ? bitFind<uint64_t, true> : bitFind<uint64_t, false>)
                                        : (shift ? bitFind<int64_t, true> : bitFind<int64_t, false>);
  b.emit(handler, OpClass::Integer, d, x);
}

template <class T> void popCount(Warp &w, const Instr &in, uint32_t active) {
  map1<uint32_t, T>(w, in, active, [](T a) { return static_cast<uint32_t>(std::popcount(a)); });
}
template <class T> void leadingZeros(Warp &w, const Instr &in, uint32_t active) {
  map1<uint32_t, T>(w, in, active, [](T a) { return static_cast<uint32_t>(std::countl_zero(a)); });
}
template <class T> void bitReverse(Warp &w, const Instr &in, uint32_t active) {
  map1<T, T>(w, in, active, [](T a) {
    T out = 0;
    for (unsigned k = 0; k < sizeof(T) * 8; ++k) out |= (a >> k & 1) << (sizeof(T) * 8 - 1 - k);
    return out;
  });
}

void decodeCount(Builder &b) {
  b.allowOnly({});
  Type type = b.type();
  bool wide = isWideType(type), pop = b.in().opcode == "popc";
  Ref x = b.read(1, type), d = b.write(0, Type::U32);
  b.emit(
      pop ? (wide ? popCount<uint64_t> : popCount<uint32_t>) : (wide ? leadingZeros<uint64_t> : leadingZeros<uint32_t>),
      OpClass::Integer, d, x);
}
void decodeBrev(Builder &b) {
  b.allowOnly({});
  Type type = b.type();
  Ref x = b.read(1, type), d = b.write(0, type);
  b.emit(isWideType(type) ? bitReverse<uint64_t> : bitReverse<uint32_t>, OpClass::Integer, d, x);
}

void logic3(Warp &w, const Instr &in, uint32_t active) {
  uint32_t table = in.aux;
  map3<uint32_t, uint32_t, uint32_t, uint32_t>(w, in, active, [=](uint32_t a, uint32_t b, uint32_t c) {
    uint32_t out = 0;
    for (unsigned k = 0; k < 8; ++k) {
      uint32_t rows = (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
      out |= rows & (0u - (table >> k & 1));
    }
    return out;
  });
}
void decodeLop3(Builder &b) {
  b.allowOnly({});
  Ref x = b.read(1, Type::B32), y = b.read(2, Type::B32), z = b.read(3, Type::B32);
  auto table = static_cast<uint32_t>(b.immediate(4));
  Ref d = b.write(0, Type::B32);
  b.emit(logic3, OpClass::Integer, d, x, y, z).aux = table;
}

/// The selectors of prmt's modes, as the default mode's.
uint32_t permuteSelector(uint32_t mode, uint32_t c) {
  static constexpr uint16_t tables[6][4] = {{0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
                                            {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333},
                                            {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232}};
  return mode == 6 ? c : tables[mode][c & 3];
}
void permute(Warp &w, const Instr &in, uint32_t active) {
  uint32_t mode = in.aux;
  map3<uint32_t, uint32_t, uint32_t, uint32_t>(w, in, active, [=](uint32_t a, uint32_t b, uint32_t c) {
    uint32_t selector = permuteSelector(mode, c), out = 0;
    uint64_t bytes = uint64_t(b) << 32 | a;
    for (unsigned k = 0; k < 4; ++k) {
      uint32_t s = selector >> (4 * k) & 15, byte = static_cast<uint32_t>(bytes >> ((s & 7) * 8)) & 255;
      if (mode == 6 && (s & 8)) byte = byte & 128 ? 255 : 0;
      out |= byte << (8 * k);
    }
    return out;
  });
}
void decodePrmt(Builder &b) {
  b.allowOnly({".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"});
  static constexpr const char *modes[] = {".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"};
  uint32_t mode = 6;
  for (uint32_t m = 0; m < 6; ++m)
    if (b.has(modes[m])) mode = m;
  Ref x = b.read(1, Type::B32), y = b.read(2, Type::B32), c = b.read(3, Type::B32), d = b.write(0, Type::B32);
  b.emit(permute, OpClass::Integer, d, x, y, c).aux = mode;
}

/// aux: bit 0 signed a, bit 1 signed b; small: 4 for dp4a, else the first byte of b that dp2a takes.
void dotBytes(Warp &w, const Instr &in, uint32_t active) {
  bool signedA = in.aux & 1, signedB = in.aux & 2;
  unsigned count = in.small == 4 ? 4 : 2, first = in.small == 4 ? 0 : in.small;
  map3<uint32_t, uint32_t, uint32_t, uint32_t>(w, in, active, [=](uint32_t a, uint32_t b, uint32_t c) {
    for (unsigned k = 0; k < count; ++k) {
      uint32_t x = count == 4 ? a >> (8 * k) & 255 : a >> (16 * k) & 0xffff, y = b >> (8 * (k + first)) & 255;
      int32_t sx = count == 4 ? static_cast<int8_t>(x) : static_cast<int16_t>(x), sy = static_cast<int8_t>(y);
      c += static_cast<uint32_t>(signedA ? sx : static_cast<int32_t>(x)) *
           static_cast<uint32_t>(signedB ? sy : static_cast<int32_t>(y));
    }
    return c;
  });
}
void decodeDot(Builder &b) {
  b.allowOnly({".lo", ".hi"});
  Ref x = b.read(1, Type::B32), y = b.read(2, Type::B32), c = b.read(3, Type::B32), d = b.write(0, Type::B32);
  Instr &in = b.emit(dotBytes, OpClass::Integer, d, x, y, c);
  in.aux = (b.type(0) == Type::S32 ? 1u : 0u) | (b.type(1) == Type::S32 ? 2u : 0u);
  in.small = b.in().opcode == "dp4a" ? 4 : b.has(".hi") ? 2 : 0;
}

constexpr Opcode opcodes[] = {{"and", decodeLogic<And>}, {"or", decodeLogic<Or>},   {"xor", decodeLogic<Xor>},
                              {"not", decodeNot<Not>},   {"cnot", decodeNot<Cnot>}, {"shl", decodeShift},
                              {"shr", decodeShift},      {"shf", decodeFunnel},     {"bfe", decodeBfe},
                              {"bfi", decodeBfi},        {"bfind", decodeBfind},    {"popc", decodeCount},
                              {"clz", decodeCount},      {"brev", decodeBrev},      {"lop3", decodeLop3},
                              {"prmt", decodePrmt},      {"dp4a", decodeDot},       {"dp2a", decodeDot}};

} // namespace

std::span<const Opcode> bitOpcodes() { return opcodes; }

} // namespace cudasim
