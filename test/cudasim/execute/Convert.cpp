#include "decode/Builder.h"
#include "execute/FloatDecode.h"
#include "execute/Rows.h"
#include "execute/SmallFloat.h"

#include <cfenv>
#include <limits>

namespace cudasim {
namespace {

using ptx::Type;

template <class F> auto withIntegerType(Type type, F f) {
  switch (type) {
  case Type::U8:
  case Type::B8: return f(uint8_t());
  case Type::S8: return f(int8_t());
  case Type::U16:
  case Type::B16: return f(uint16_t());
  case Type::S16: return f(int16_t());
  case Type::U32:
  case Type::B32: return f(uint32_t());
  case Type::S32: return f(int32_t());
  case Type::U64:
  case Type::B64: return f(uint64_t());
  default: return f(int64_t());
  }
}

/// A register may be wider than the result: signed results fill it with their sign.
template <class D> inline Slot<D> extended(D value) {
  if constexpr (sizeof(D) == 8) return static_cast<uint64_t>(value);
  else
    return static_cast<uint32_t>(std::is_signed_v<D> ? static_cast<uint32_t>(static_cast<int32_t>(value))
                                                     : static_cast<uint32_t>(value));
}

template <class D, class S> void integerToInteger(Warp &w, const Instr &in, uint32_t active) {
  const Slot<S> *a = w.row<Slot<S>>(in.a);
  if (!in.flags)
    return fill<Slot<D>>(w, in.dst, active, [=](unsigned i) { return extended(static_cast<D>(fromSlot<S>(a[i]))); });
  fill<Slot<D>>(w, in.dst, active, [=](unsigned i) {
    auto v = static_cast<__int128>(fromSlot<S>(a[i]));
    __int128 low = std::numeric_limits<D>::min(), high = std::numeric_limits<D>::max();
    return extended(static_cast<D>(v < low ? low : v > high ? high : v));
  });
}

constexpr unsigned ToNearest = 0, ToZero = 1, ToDown = 2, ToUp = 3;
template <class T> inline T roundToInteger(T x, unsigned mode) {
  switch (mode) {
  case ToNearest: return std::nearbyint(x);
  case ToZero: return std::trunc(x);
  case ToDown: return std::floor(x);
  default: return std::ceil(x);
  }
}

template <class T> inline T flush(T x) {
  return sizeof(T) == 4 && std::fabs(x) < T(0x1p-126) ? std::copysign(T(0), x) : x;
}

/// Out-of-range values become the nearest that fits; NaN as the PTX manual says.
template <class D, class F> inline D clampToInteger(F x, bool wideSource) {
  if (x != x) return wideSource || sizeof(D) == 8 ? static_cast<D>(uint64_t(1) << (sizeof(D) * 8 - 1)) : D(0);
  // The largest D may not be an F: compare with the power of two above it.
  F limit = std::ldexp(F(1), static_cast<int>(sizeof(D) * 8 - (std::is_signed_v<D> ? 1 : 0)));
  if (x >= limit) return std::numeric_limits<D>::max();
  if (x <= static_cast<F>(std::numeric_limits<D>::min())) return std::numeric_limits<D>::min();
  return static_cast<D>(x);
}

template <class D, class F> void floatToInteger(Warp &w, const Instr &in, uint32_t active) {
  const F *a = w.row<F>(in.a);
  unsigned mode = in.small;
  bool ftz = in.aux & 1;
  Slot<D> *d = w.row<Slot<D>>(in.dst);
  eachLane(active, [&](unsigned i) {
    F x = ftz ? flush(a[i]) : a[i];
    d[i] = extended(clampToInteger<D>(roundToInteger(x, mode), sizeof(F) == 8));
  });
}

template <class F, class S> void integerToFloat(Warp &w, const Instr &in, uint32_t active) {
  const Slot<S> *a = w.row<Slot<S>>(in.a);
  F *d = w.row<F>(in.dst);
  if (!in.small) return fill<F>(w, in.dst, active, [=](unsigned i) { return static_cast<F>(fromSlot<S>(a[i])); });
  static constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  int before = std::fegetround();
  std::fesetround(modes[in.small]);
  eachLane(active, [&](unsigned i) {
    volatile S v = fromSlot<S>(a[i]);
    volatile F r = static_cast<F>(v);
    d[i] = r;
  });
  std::fesetround(before);
}

template <class F> void floatToSame(Warp &w, const Instr &in, uint32_t active) {
  unsigned mode = in.small, flags = in.aux;
  map1<F, F>(w, in, active, [=](F x) {
    if (flags & 1) x = flush(x);
    if (mode != 255) x = roundToInteger(x, mode);
    if (flags & 2) x = x > 0 ? (x < 1 ? x : F(1)) : F(0);
    return x != x && sizeof(F) == 4 ? static_cast<F>(std::bit_cast<float>(0x7fffffffu)) : x;
  });
}

void doubleToFloat(Warp &w, const Instr &in, uint32_t active) {
  static constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  const double *a = w.row<double>(in.a);
  float *d = w.row<float>(in.dst);
  unsigned flags = in.aux;
  int before = std::fegetround();
  std::fesetround(modes[in.small]);
  eachLane(active, [&](unsigned i) {
    volatile double x = a[i];
    volatile float y = static_cast<float>(x);
    float r = y;
    if (flags & 1) r = flush(r);
    if (flags & 2) r = r > 0 ? (r < 1 ? r : 1.f) : 0.f;
    d[i] = r != r ? std::bit_cast<float>(0x7fffffffu) : r;
  });
  std::fesetround(before);
}
void floatToDouble(Warp &w, const Instr &in, uint32_t active) {
  unsigned flags = in.aux;
  map1<double, float>(w, in, active, [=](float x) {
    if (flags & 1) x = flush(x);
    double r = x;
    return flags & 2 ? (r > 0 ? (r < 1 ? r : 1.0) : 0.0) : r;
  });
}

void halfToFloat(Warp &w, const Instr &in, uint32_t active) {
  map1<float, uint32_t>(w, in, active, [](uint32_t a) { return fromF16(a & 0xffff); });
}
void brainToFloat(Warp &w, const Instr &in, uint32_t active) {
  map1<float, uint32_t>(w, in, active, [](uint32_t a) { return fromBF16(a & 0xffff); });
}
void floatToHalf(Warp &w, const Instr &in, uint32_t active) {
  map1<uint32_t, float>(w, in, active, [](float a) { return toF16(a); });
}
void floatToBrain(Warp &w, const Instr &in, uint32_t active) {
  map1<uint32_t, float>(w, in, active, [](float a) { return toBF16(a); });
}
void floatsToHalves(Warp &w, const Instr &in, uint32_t active) {
  map2<uint32_t, float, float>(w, in, active, [](float high, float low) { return toF16(high) << 16 | toF16(low); });
}
void floatsToBrains(Warp &w, const Instr &in, uint32_t active) {
  map2<uint32_t, float, float>(w, in, active, [](float high, float low) { return toBF16(high) << 16 | toBF16(low); });
}

/// Everything else among floating-point formats: `more` holds the number of values, then both formats.
struct FormatPair {
  Format from, to;
  unsigned count, width; ///< packed values, bits of each in the source; 64 where the source is f64
  bool twoSources, saturate, relu, ftz, sat;
  Round mode;
  int integerMode; ///< -1: none
};
void anyToAny(Warp &w, const Instr &in, uint32_t active) {
  const auto &p = *reinterpret_cast<const FormatPair *>(in.imm);
  unsigned outWidth = p.to.exponentBits + p.to.mantissaBits + 1u;
  auto convert = [&](double x) {
    if (p.ftz && std::fabs(x) < 0x1p-126) x = std::copysign(0.0, x);
    if (p.integerMode >= 0) x = roundToInteger(x, static_cast<unsigned>(p.integerMode));
    if (p.sat) x = x > 0 ? std::min(x, 1.0) : 0.0;
    if (p.relu) x = x > 0 || x != x ? x : 0.0;
    return encode(x, p.to, p.mode, p.saturate);
  };
  auto load = [&](Ref ref, unsigned lane, unsigned k) -> double {
    if (p.width == 64) return w.row<double>(ref)[lane];
    uint32_t bits = w.row<uint32_t>(ref)[lane];
    if (p.width == 32) return std::bit_cast<float>(bits);
    return cudasim::decode(bits >> (k * p.width) & ((1u << p.width) - 1), p.from);
  };
  uint32_t *d = w.row<uint32_t>(in.dst);
  eachLane(active, [&](unsigned i) {
    if (p.twoSources) {
      uint32_t high = convert(load(in.a, i, 0)), low = convert(load(in.b, i, 0));
      d[i] = high << outWidth | low;
    } else {
      uint32_t out = 0;
      for (unsigned k = 0; k < p.count; ++k) out |= convert(load(in.a, i, k)) << (k * outWidth % 32);
      d[i] = outWidth == 19 ? out << 13 : out; // tf32 lies in the upper bits of its register
    }
  });
}

/// f16 or bf16 to an integer and back, through double.
template <class D> void smallToInteger(Warp &w, const Instr &in, uint32_t active) {
  const uint32_t *a = w.row<uint32_t>(in.a);
  Slot<D> *d = w.row<Slot<D>>(in.dst);
  eachLane(active, [&](unsigned i) {
    double x = in.aux & 4 ? fromBF16(a[i] & 0xffff) : fromF16(a[i] & 0xffff);
    d[i] = extended(clampToInteger<D>(roundToInteger(x, in.small), false));
  });
}
template <class S> void integerToSmall(Warp &w, const Instr &in, uint32_t active) {
  const Slot<S> *a = w.row<Slot<S>>(in.a);
  uint32_t *d = w.row<uint32_t>(in.dst);
  static constexpr Round modes[] = {Round::Nearest, Round::Zero, Round::Down, Round::Up};
  eachLane(active, [&](unsigned i) {
    auto v = static_cast<__int128>(fromSlot<S>(a[i]));
    double high = static_cast<double>(static_cast<int64_t>(v >> 32)) * 0x1p32;
    double x = sumToOdd(high, static_cast<double>(static_cast<uint32_t>(v)));
    d[i] = encode(x, in.aux & 4 ? formatBF16 : formatF16, modes[in.small]);
  });
}

struct Named {
  std::string_view name;
  Format format;
  unsigned count, width;
};
constexpr Named formats[] = {
    {".f16", formatF16, 1, 16},     {".bf16", formatBF16, 1, 16},  {".f16x2", formatF16, 2, 16},
    {".bf16x2", formatBF16, 2, 16}, {".f32", formatF32, 1, 32},    {".f64", formatF32, 1, 64},
    {".tf32", formatTF32, 1, 32},   {".e4m3x2", formatE4M3, 2, 8}, {".e5m2x2", formatE5M2, 2, 8}};

const Named *formatNamed(std::string_view name) {
  for (auto &f : formats)
    if (f.name == name) return &f;
  return nullptr;
}

unsigned roundingMode(Builder &b) { return b.has(".rz") ? 1 : b.has(".rm") ? 2 : b.has(".rp") ? 3 : 0; }
unsigned integerMode(Builder &b) {
  return b.has(".rni") ? ToNearest : b.has(".rzi") ? ToZero : b.has(".rmi") ? ToDown : b.has(".rpi") ? ToUp : 255u;
}

Type storageType(const Named &f, bool isResult) {
  unsigned bits = f.width * f.count;
  (void)isResult;
  return bits == 64 ? Type::F64 : bits == 32 ? Type::B32 : Type::B16;
}

void decodeAny(Builder &b, const Named &to, const Named &from) {
  static constexpr Round modes[] = {Round::Nearest, Round::Zero, Round::Down, Round::Up};
  bool two = to.count == 2 && from.count == 1;
  if (from.count == 2 && to.count == 1) b.refuse("no such conversion");
  if (to.width == 64) b.refuse("the stand-in does not support this conversion");
  unsigned whole = integerMode(b);
  FormatPair pair{from.format,
                  to.format,
                  from.count,
                  from.width,
                  two,
                  b.has(".satfinite"),
                  b.has(".relu"),
                  b.has(".ftz"),
                  b.has(".sat"),
                  b.has(".rna") ? Round::NearestAway : modes[roundingMode(b)],
                  whole == 255 ? -1 : static_cast<int>(whole)};
  Type source = from.width == 32 ? Type::F32 : storageType(from, false);
  Ref x = b.read(1, source), y = two ? b.read(2, source) : 0, d = b.write(0, storageType(to, true));
  static_assert(std::is_trivially_copyable_v<FormatPair>);
  const std::string *kept = b.keep(std::string(reinterpret_cast<const char *>(&pair), sizeof pair));
  b.emit(anyToAny, OpClass::Convert, d, x, y).imm = reinterpret_cast<int64_t>(kept->data());
}

/// The two type names, f8 pairs and tf32 included.
std::pair<std::string_view, std::string_view> typeNames(Builder &b) {
  std::string_view names[2];
  unsigned found = 0;
  for (auto m : b.in().modifiers)
    if ((ptx::typeNamed(m) != Type::None || formatNamed(m)) && found < 2) names[found++] = m;
  if (found < 2) b.refuse("two types are needed");
  return {names[0], names[1]};
}

Handler fastHandler(Builder &b, std::string_view to, std::string_view from) {
  bool plain = !b.has(".relu") && !b.has(".ftz") && !b.has(".sat") && !b.has(".satfinite") && !roundingMode(b) &&
               integerMode(b) == 255;
  if (!plain) return nullptr;
  if (from == ".f32") {
    if (to == ".f16") return floatToHalf;
    if (to == ".bf16") return floatToBrain;
    if (to == ".f16x2") return floatsToHalves;
    if (to == ".bf16x2") return floatsToBrains;
  }
  if (to == ".f32" && from == ".f16") return halfToFloat;
  if (to == ".f32" && from == ".bf16") return brainToFloat;
  return nullptr;
}

void decodeFloats(Builder &b, std::string_view toName, std::string_view fromName) {
  const Named &to = *formatNamed(toName), &from = *formatNamed(fromName);
  Handler handler = fastHandler(b, toName, fromName);
  unsigned small = roundingMode(b), aux = (b.has(".ftz") ? 1u : 0u) | (b.has(".sat") ? 2u : 0u);
  bool f32 = toName == ".f32", f64 = toName == ".f64";
  if ((f32 && fromName == ".f32") || (f64 && fromName == ".f64")) {
    handler = f64 ? floatToSame<double> : floatToSame<float>;
    small = integerMode(b);
  } else if (f32 && fromName == ".f64") {
    handler = doubleToFloat;
  } else if (f64 && fromName == ".f32") {
    handler = floatToDouble;
  } else if (f64 && from.width == 16) { // through float, exactly
    Ref x = b.read(1, Type::B16), middle = b.scratch(), d = b.write(0, Type::F64);
    b.emit(fromName == ".f16" ? halfToFloat : brainToFloat, OpClass::Hidden, middle, x);
    b.emit(floatToDouble, OpClass::Convert, d, middle).aux = aux;
    return;
  }
  if (!handler) return decodeAny(b, to, from);
  bool two = to.count == 2;
  Type source = from.width == 64 ? Type::F64 : from.width == 32 ? Type::F32 : Type::B16;
  Ref x = b.read(1, source), y = two ? b.read(2, source) : 0;
  Ref d = b.write(0, to.width == 64 ? Type::F64 : Type::B32);
  Instr &in = b.emit(handler, OpClass::Convert, d, x, y);
  in.small = static_cast<uint16_t>(small);
  in.aux = aux;
}

void decodeIntegers(Builder &b, Type to, Type from) {
  Handler handler = withIntegerType(to, [&](auto d) {
    return withIntegerType(from, [&](auto s) -> Handler { return integerToInteger<decltype(d), decltype(s)>; });
  });
  Ref x = b.read(1, from), d = b.write(0, to);
  b.emit(handler, OpClass::Convert, d, x).flags = b.has(".sat");
}

void decodeToInteger(Builder &b, Type to, Type from) {
  unsigned mode = integerMode(b);
  if (mode == 255) b.refuse("a rounding to an integer is needed");
  bool small = ptx::byteSize(from) == 2;
  Handler handler = withIntegerType(to, [&](auto d) -> Handler {
    using D = decltype(d);
    return small ? smallToInteger<D> : from == Type::F64 ? floatToInteger<D, double> : floatToInteger<D, float>;
  });
  Ref x = b.read(1, from), d = b.write(0, to);
  Instr &in = b.emit(handler, OpClass::Convert, d, x);
  in.small = static_cast<uint16_t>(mode);
  in.aux = (b.has(".ftz") ? 1u : 0u) | (from == Type::BF16 ? 4u : 0u);
}

void decodeToFloat(Builder &b, Type to, Type from) {
  bool small = ptx::byteSize(to) == 2;
  Handler handler = withIntegerType(from, [&](auto s) -> Handler {
    using S = decltype(s);
    return small ? integerToSmall<S> : to == Type::F64 ? integerToFloat<double, S> : integerToFloat<float, S>;
  });
  Ref x = b.read(1, from), d = b.write(0, to);
  Instr &in = b.emit(handler, OpClass::Convert, d, x);
  in.small = static_cast<uint16_t>(roundingMode(b));
  in.aux = to == Type::BF16 ? 4u : 0u;
}

void decodeCvt(Builder &b) {
  if (b.has(".pack")) b.refuse("the stand-in does not support cvt.pack");
  b.allowOnly({".rn", ".rz", ".rm", ".rp", ".rna", ".rni", ".rzi", ".rmi", ".rpi", ".ftz", ".sat", ".relu",
               ".satfinite", ".e4m3x2", ".e5m2x2", ".tf32"});
  auto [toName, fromName] = typeNames(b);
  Type to = ptx::typeNamed(toName), from = ptx::typeNamed(fromName);
  bool toFloat = formatNamed(toName), fromFloat = formatNamed(fromName);
  if (toFloat && fromFloat) return decodeFloats(b, toName, fromName);
  if (toFloat) return decodeToFloat(b, to, from);
  if (fromFloat) return decodeToInteger(b, to, from);
  decodeIntegers(b, to, from);
}

constexpr Opcode opcodes[] = {{"cvt", decodeCvt}};

} // namespace

std::span<const Opcode> convertOpcodes() { return opcodes; }

} // namespace cudasim
