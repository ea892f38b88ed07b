#include "decode/Builder.h"
#include "execute/FloatDecode.h"
#include "execute/Rows.h"
#include "execute/SmallFloat.h"

namespace cudasim {
namespace {

using ptx::Type;

enum Comparison : uint8_t { Eq, Ne, Lt, Le, Gt, Ge, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan, Unknown };

Comparison comparisonNamed(std::string_view m) {
  static constexpr std::pair<std::string_view, Comparison> names[] = {
      {".eq", Eq},   {".ne", Ne},   {".lt", Lt},   {".le", Le},   {".gt", Gt},   {".ge", Ge},
      {".lo", Lt},   {".ls", Le},   {".hi", Gt},   {".hs", Ge},   {".equ", Equ}, {".neu", Neu},
      {".ltu", Ltu}, {".leu", Leu}, {".gtu", Gtu}, {".geu", Geu}, {".num", Num}, {".nan", Nan}};
  for (auto &[name, c] : names)
    if (name == m) return c;
  return Unknown;
}

template <Comparison C, class T> inline bool holds(T a, T b) {
  if constexpr (C == Eq) return a == b;
  else if constexpr (C == Ne) return std::is_floating_point_v<T> ? (a < b) || (a > b) : a != b;
  else if constexpr (C == Lt) return a < b;
  else if constexpr (C == Le) return a <= b;
  else if constexpr (C == Gt) return a > b;
  else if constexpr (C == Ge) return a >= b;
  else if constexpr (C == Equ) return !(a < b) && !(a > b);
  else if constexpr (C == Neu) return !(a == b);
  else if constexpr (C == Ltu) return !(a >= b);
  else if constexpr (C == Leu) return !(a > b);
  else if constexpr (C == Gtu) return !(a <= b);
  else if constexpr (C == Geu) return !(a < b);
  else if constexpr (C == Num) return a == a && b == b;
  else return a != a || b != b;
}

enum : uint8_t { Plain, AndWith, OrWith, XorWith };
uint32_t combine(uint32_t value, uint32_t with, unsigned how) {
  return how == AndWith ? value & with : how == OrWith ? value | with : how == XorWith ? value ^ with : value;
}

/// Stores the lanes where a comparison holds, and into the second predicate those where it does not.
void store(Warp &w, const Instr &in, uint32_t active, uint32_t first, uint32_t second) {
  uint32_t with = w.pred(in.c);
  w.setPred(in.dst, combine(first, with, in.small), active);
  w.setPred(in.aux2, combine(second, with, in.small), active);
}

template <class T, Comparison C> uint32_t compareRows(Warp &w, const Instr &in) {
  const Slot<T> *a = w.row<Slot<T>>(in.a), *b = w.row<Slot<T>>(in.b);
  if constexpr (std::is_same_v<T, float>)
    if (in.flags) // .ftz
      return laneMask([=](unsigned i) {
        auto flush = [](uint32_t v) { return std::bit_cast<float>(v & 0x7f800000u ? v : v & 0x80000000u); };
        return holds<C>(flush(a[i]), flush(b[i]));
      });
  return laneMask([=](unsigned i) { return holds<C>(fromSlot<T>(a[i]), fromSlot<T>(b[i])); });
}

template <class T, Comparison C> void setPredicate(Warp &w, const Instr &in, uint32_t active) {
  uint32_t result = compareRows<T, C>(w, in);
  store(w, in, active, result, ~result);
}

/// set: -1 or 1.0 where it holds, 0 elsewhere; aux is the value.
template <class T, Comparison C> void setValue(Warp &w, const Instr &in, uint32_t active) {
  uint32_t result = combine(compareRows<T, C>(w, in), w.pred(in.c), in.small), value = in.aux;
  fill<uint32_t>(w, in.dst, active, [=](unsigned i) { return result >> i & 1 ? value : 0u; });
}

template <class T, bool Value, Comparison... C> Handler pick(Comparison c, std::integer_sequence<Comparison, C...>) {
  Handler found = nullptr;
  ((c == C ? void(found = Value ? setValue<T, C> : setPredicate<T, C>) : void()), ...);
  return found;
}
using IntegerComparisons = std::integer_sequence<Comparison, Eq, Ne, Lt, Le, Gt, Ge>;
using FloatComparisons =
    std::integer_sequence<Comparison, Eq, Ne, Lt, Le, Gt, Ge, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan>;

template <bool Value> Handler handlerFor(Type type, Comparison c) {
  switch (type) {
  case Type::U16:
  case Type::B16: return pick<uint16_t, Value>(c, IntegerComparisons());
  case Type::S16: return pick<int16_t, Value>(c, IntegerComparisons());
  case Type::U32:
  case Type::B32: return pick<uint32_t, Value>(c, IntegerComparisons());
  case Type::S32: return pick<int32_t, Value>(c, IntegerComparisons());
  case Type::U64:
  case Type::B64: return pick<uint64_t, Value>(c, IntegerComparisons());
  case Type::S64: return pick<int64_t, Value>(c, IntegerComparisons());
  case Type::F32: return pick<float, Value>(c, FloatComparisons());
  case Type::F64: return pick<double, Value>(c, FloatComparisons());
  default: return nullptr;
  }
}

template <Comparison... C>
bool holdsAtRunTime(Comparison c, float a, float b, std::integer_sequence<Comparison, C...>) {
  bool result = false;
  ((c == C ? void(result = holds<C>(a, b)) : void()), ...);
  return result;
}

/// f16 and bf16; flags: bit 0 bf16. `first`: which half of a packed pair.
uint32_t compareHalves(Warp &w, const Instr &in, unsigned half) {
  const uint32_t *a = w.row<uint32_t>(in.a), *b = w.row<uint32_t>(in.b);
  auto value = [&](uint32_t v) {
    v = v >> (16 * half) & 0xffff;
    return in.flags & 1 ? fromBF16(v) : fromF16(v);
  };
  return laneMask([&](unsigned i) {
    return holdsAtRunTime(static_cast<Comparison>(in.imm), value(a[i]), value(b[i]), FloatComparisons());
  });
}
void setPredicateHalf(Warp &w, const Instr &in, uint32_t active) {
  uint32_t result = compareHalves(w, in, 0);
  store(w, in, active, result, ~result);
}
void setPredicateHalf2(Warp &w, const Instr &in, uint32_t active) {
  uint32_t low = compareHalves(w, in, 0);
  store(w, in, active, low, compareHalves(w, in, 1));
}
void setValueHalf(Warp &w, const Instr &in, uint32_t active) {
  uint32_t result = combine(compareHalves(w, in, 0), w.pred(in.c), in.small), value = in.aux;
  fill<uint32_t>(w, in.dst, active, [=](unsigned i) { return result >> i & 1 ? value : 0u; });
}
void setValueHalf2(Warp &w, const Instr &in, uint32_t active) {
  uint32_t with = w.pred(in.c), value = in.aux;
  uint32_t low = combine(compareHalves(w, in, 0), with, in.small),
           high = combine(compareHalves(w, in, 1), with, in.small);
  fill<uint32_t>(w, in.dst, active,
                 [=](unsigned i) { return (low >> i & 1 ? value : 0u) | (high >> i & 1 ? value << 16 : 0u); });
}

struct Parsed {
  Comparison comparison = Unknown;
  unsigned with = Plain;
};
Parsed parse(Builder &b) {
  b.allowOnly({".eq",  ".ne",  ".lt",  ".le",  ".gt",  ".ge",  ".lo",  ".ls",  ".hi", ".hs",  ".equ",
               ".neu", ".ltu", ".leu", ".gtu", ".geu", ".num", ".nan", ".and", ".or", ".xor", ".ftz"});
  Parsed p;
  p.comparison = comparisonNamed(b.in().modifiers.at(0));
  p.with = b.has(".and") ? AndWith : b.has(".or") ? OrWith : b.has(".xor") ? XorWith : Plain;
  return p;
}

bool isHalf(Type t) { return t == Type::F16 || t == Type::F16x2 || t == Type::BF16 || t == Type::BF16x2; }
bool isPair(Type t) { return t == Type::F16x2 || t == Type::BF16x2; }
bool isBrain(Type t) { return t == Type::BF16 || t == Type::BF16x2; }

void decodeSetp(Builder &b) {
  Parsed p = parse(b);
  Type type = b.type();
  Handler handler = isPair(type)   ? setPredicateHalf2
                    : isHalf(type) ? setPredicateHalf
                                   : handlerFor<false>(type, p.comparison);
  if (!handler || p.comparison == Unknown) b.refuse("no such comparison");
  Ref x = b.read(1, type), y = b.read(2, type);
  PredRef with = p.with ? b.readPred(3) : 0;
  Instr &in = b.emit(handler, OpClass::Predicate, b.writePred(b.operand(0)), x, y, with);
  in.small = static_cast<uint16_t>(p.with);
  in.aux2 = b.pairOf(b.operand(0));
  in.imm = p.comparison;
  in.flags = isHalf(type) ? isBrain(type) : b.has(".ftz");
}

void decodeSet(Builder &b) {
  Parsed p = parse(b);
  Type to = b.type(0), type = b.type(1);
  Handler handler = isPair(type) ? setValueHalf2 : isHalf(type) ? setValueHalf : handlerFor<true>(type, p.comparison);
  if (!handler || p.comparison == Unknown) b.refuse("no such comparison");
  Ref x = b.read(1, type), y = b.read(2, type);
  PredRef with = p.with ? b.readPred(3) : 0;
  Ref d = b.write(0, to);
  Instr &in = b.emit(handler, OpClass::Integer, d, x, y, with);
  in.small = static_cast<uint16_t>(p.with);
  in.imm = p.comparison;
  in.flags = isHalf(type) ? isBrain(type) : b.has(".ftz");
  in.aux = to == Type::F32                          ? 0x3f800000u
           : to == Type::F16 || to == Type::F16x2   ? 0x3c00u
           : isBrain(to)                            ? 0x3f80u
           : ptx::byteSize(to) == 2 || isPair(type) ? 0xffffu
                                                    : ~0u;
}

template <class S> void select(Warp &w, const Instr &in, uint32_t active) {
  const S *a = w.row<S>(in.a), *b = w.row<S>(in.b);
  uint32_t p = w.pred(in.c);
  fill<S>(w, in.dst, active, [=](unsigned i) { return p >> i & 1 ? a[i] : b[i]; });
}
void decodeSelp(Builder &b) {
  b.allowOnly({});
  Type type = b.type();
  Ref x = b.read(1, type), y = b.read(2, type);
  PredRef p = b.readPred(3);
  Ref d = b.write(0, type);
  b.emit(isWideType(type) ? select<uint64_t> : select<uint32_t>, OpClass::Integer, d, x, y, p);
}

template <class S, class C> void selectBySign(Warp &w, const Instr &in, uint32_t active) {
  const S *a = w.row<S>(in.a), *b = w.row<S>(in.b);
  const C *c = w.row<C>(in.c);
  bool flush = in.flags;
  fill<S>(w, in.dst, active, [=](unsigned i) {
    if constexpr (std::is_same_v<C, float>) return c[i] >= 0 || (flush && std::fabs(c[i]) < 0x1p-126f) ? a[i] : b[i];
    else return c[i] >= 0 ? a[i] : b[i];
  });
}
void decodeSlct(Builder &b) {
  b.allowOnly({".ftz"});
  Type type = b.type(0), by = b.type(1);
  Ref x = b.read(1, type), y = b.read(2, type), c = b.read(3, by), d = b.write(0, type);
  bool wide = isWideType(type), isFloat = by == Type::F32;
  Handler handler = wide ? (isFloat ? selectBySign<uint64_t, float> : selectBySign<uint64_t, int32_t>)
                         : (isFloat ? selectBySign<uint32_t, float> : selectBySign<uint32_t, int32_t>);
  b.emit(handler, OpClass::Integer, d, x, y, c).flags = b.has(".ftz");
}

template <class T> void testProperty(Warp &w, const Instr &in, uint32_t active) {
  const T *a = w.row<T>(in.a);
  unsigned what = in.small;
  uint32_t result = laneMask([=](unsigned i) {
    int kind = std::fpclassify(a[i]);
    switch (what) {
    case 0: return kind != FP_NAN && kind != FP_INFINITE;
    case 1: return kind == FP_INFINITE;
    case 2: return kind != FP_NAN;
    case 3: return kind == FP_NAN;
    case 4: return kind == FP_NORMAL;
    default: return kind == FP_SUBNORMAL;
    }
  });
  w.setPred(in.dst, result, active);
}
void decodeTestp(Builder &b) {
  static constexpr const char *names[] = {".finite", ".infinite", ".number", ".notanumber", ".normal", ".subnormal"};
  unsigned what = 0;
  for (unsigned i = 0; i < 6; ++i)
    if (b.has(names[i])) what = i;
  Type type = b.type();
  Ref x = b.read(1, type);
  b.emit(type == Type::F64 ? testProperty<double> : testProperty<float>, OpClass::Predicate, b.writePred(b.operand(0)),
         x)
      .small = static_cast<uint16_t>(what);
}

constexpr Opcode opcodes[] = {
    {"setp", decodeSetp}, {"set", decodeSet}, {"selp", decodeSelp}, {"slct", decodeSlct}, {"testp", decodeTestp}};

} // namespace

std::span<const Opcode> compareOpcodes() { return opcodes; }

} // namespace cudasim
