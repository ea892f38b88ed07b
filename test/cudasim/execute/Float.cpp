#include "execute/Float.h"
#include "decode/Builder.h"
#include "execute/FloatDecode.h"
#include "execute/Rows.h"
#include "execute/SmallFloat.h"

#include <limits>

namespace cudasim::floating {
namespace {

using ptx::Type;

/// f32 results that are no number have these bits; f64 keeps what the host gives.
inline float canonical(float x) { return x != x ? std::bit_cast<float>(0x7fffffffu) : x; }
inline double canonical(double x) { return x; }
inline float flush(float x) {
  auto bits = std::bit_cast<uint32_t>(x);
  return std::bit_cast<float>(bits & 0x7f800000u ? bits : bits & 0x80000000u);
}
inline double flush(double x) { return x; }
template <class T> inline T saturate(T x) { return x > T(0) ? (x < T(1) ? x : T(1)) : T(0); } // NaN and -0 become +0

struct Add {
  template <class T> static T of(T a, T b) { return a + b; }
};
struct Sub {
  template <class T> static T of(T a, T b) { return a - b; }
};
struct Mul {
  template <class T> static T of(T a, T b) { return a * b; }
};
struct Div {
  template <class T> static T of(T a, T b) { return a / b; }
};
/// Beyond 2^126 the divisor's reciprocal is flushed, on devices too.
struct DivApprox {
  static float of(float a, float b) {
    bool huge = std::fabs(b) > 0x1p126f && std::fabs(b) < INFINITY;
    return huge ? (std::isinf(a) ? NAN : std::copysign(0.f, std::copysign(1.f, a) * b)) : a / b;
  }
};
/// The number of a number and a NaN; +0 is more than -0. Free of branches, so that it is vectorised.
template <bool Largest> struct Extreme {
  template <class T> static T of(T a, T b) {
    using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
    const Bits x = std::bit_cast<Bits>(a), y = std::bit_cast<Bits>(b);
    const T same = std::bit_cast<T>(Largest ? x & y : x | y); // of two zeros
    const T other = (Largest ? a > b : a < b) ? a : b;
    return b != b ? a : a == b ? same : other;
  }
};
template <bool Largest> struct ExtremeNan {
  template <class T> static T of(T a, T b) {
    if (a != a || b != b) return std::numeric_limits<T>::quiet_NaN();
    return Extreme<Largest>::of(a, b);
  }
};
struct Fma {
  template <class T> static T of(T a, T b, T c) { return std::fma(a, b, c); }
};

enum : unsigned { Ftz = 1, Sat = 2, XorSign = 4 };

template <class T> inline T finish(T x, unsigned flags) {
  if (flags & Ftz) x = flush(x);
  if (flags & Sat) return saturate(x);
  return canonical(x);
}

template <class T, class Op> void binary(Warp &w, const Instr &in, uint32_t active) {
  unsigned flags = in.aux;
  if (!flags) return map2<T, T, T>(w, in, active, [](T a, T b) { return canonical(Op::of(a, b)); });
  map2<T, T, T>(w, in, active, [=](T a, T b) {
    if (flags & Ftz) a = flush(a), b = flush(b);
    T sign = std::copysign(T(1), a) * std::copysign(T(1), b);
    if (flags & XorSign) a = std::fabs(a), b = std::fabs(b);
    T r = finish(Op::of(a, b), flags);
    return flags & XorSign ? std::copysign(r, sign) : r;
  });
}
template <class T> void fusedMultiplyAdd(Warp &w, const Instr &in, uint32_t active) {
  unsigned flags = in.aux;
  if (!flags) return map3<T, T, T, T>(w, in, active, [](T a, T b, T c) { return canonical(std::fma(a, b, c)); });
  map3<T, T, T, T>(w, in, active, [=](T a, T b, T c) {
    if (flags & Ftz) a = flush(a), b = flush(b), c = flush(c);
    return finish(std::fma(a, b, c), flags);
  });
}
template <class Op> void ternary(Warp &w, const Instr &in, uint32_t active) {
  unsigned flags = in.aux;
  map3<float, float, float, float>(w, in, active, [=](float a, float b, float c) {
    if (flags & Ftz) a = flush(a), b = flush(b), c = flush(c);
    return finish(Op::of(Op::of(a, b), c), flags);
  });
}
template <class T, class Op> void unary(Warp &w, const Instr &in, uint32_t active) {
  unsigned flags = in.aux;
  if (!flags) return map1<T, T>(w, in, active, [](T a) { return canonical(Op::of(a)); });
  map1<T, T>(w, in, active, [=](T a) {
    if (flags & Ftz) a = flush(a);
    return finish(Op::of(a), flags);
  });
}

struct Sqrt {
  template <class T> static T of(T a) { return std::sqrt(a); }
};
struct Rcp {
  template <class T> static T of(T a) { return T(1) / a; }
};
struct Rsqrt {
  static float of(float a) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(a))); }
  static double of(double a) { return 1 / std::sqrt(a); }
};
/// f64 approximations see and give the upper half of the bits.
inline double upperHalf(double x) { return std::bit_cast<double>(std::bit_cast<uint64_t>(x) >> 32 << 32); }
inline double flushDouble(double x) { return std::fabs(x) < 0x1p-1022 ? std::copysign(0.0, x) : x; }
template <class Op> struct Gross {
  static double of(double a) { return flushDouble(upperHalf(Op::of(upperHalf(flushDouble(a))))); }
};
/// 2^a: the fraction's power by its series in double, correct to the last bit of a float but for near ties; the integer
/// into the exponent. Free of branches, so that it is vectorised.
struct Ex2 {
  static float of(float a) {
    double x = a < -200.f ? -200.0 : a > 200.f ? 200.0 : static_cast<double>(a);
    double whole = std::nearbyint(x), f = (x - whole) * 0.6931471805599453;
    double p = 1.0 / 40320;
    p = std::fma(p, f, 1.0 / 5040);
    p = std::fma(p, f, 1.0 / 720);
    p = std::fma(p, f, 1.0 / 120);
    p = std::fma(p, f, 1.0 / 24);
    p = std::fma(p, f, 1.0 / 6);
    p = std::fma(p, f, 0.5);
    p = std::fma(p, f, 1.0);
    p = std::fma(p, f, 1.0);
    auto scale = std::bit_cast<double>(static_cast<uint64_t>(static_cast<int64_t>(whole) + 1023) << 52);
    return a != a ? a : static_cast<float>(p * scale);
  }
};
struct Lg2 {
  static float of(float a) { return std::log2(a); }
};
struct Sin {
  static float of(float a) { return std::sin(a); }
};
struct Cos {
  static float of(float a) { return std::cos(a); }
};
struct Tanh {
  static float of(float a) { return std::tanh(a); }
};

template <class S, S SignBit> void negate(Warp &w, const Instr &in, uint32_t active) {
  map1<S, S>(w, in, active, [](S a) { return static_cast<S>(a ^ SignBit); });
}
template <class S, S SignBit> void absolute(Warp &w, const Instr &in, uint32_t active) {
  map1<S, S>(w, in, active, [](S a) { return static_cast<S>(a & ~SignBit); });
}
template <class T, bool Absolute> void signFlushed(Warp &w, const Instr &in, uint32_t active) {
  map1<T, T>(w, in, active, [](T a) { return flush(Absolute ? std::fabs(a) : -a); });
}
template <class S, S SignBit> void copySign(Warp &w, const Instr &in, uint32_t active) {
  map2<S, S, S>(w, in, active, [](S a, S b) { return static_cast<S>((b & ~SignBit) | (a & SignBit)); });
}

void decodeSign(Builder &b) {
  Type type = b.type();
  b.allowOnly({".ftz"});
  bool absolutes = b.in().opcode == "abs";
  Ref x = b.read(1, type), d = b.write(0, type);
  Handler handler = nullptr;
  switch (type) {
  case Type::F32:
    handler = b.has(".ftz") ? (absolutes ? signFlushed<float, true> : signFlushed<float, false>)
              : absolutes   ? absolute<uint32_t, 0x80000000u>
                            : negate<uint32_t, 0x80000000u>;
    break;
  case Type::F64:
    handler = absolutes ? absolute<uint64_t, uint64_t(1) << 63> : negate<uint64_t, uint64_t(1) << 63>;
    break;
  case Type::F16:
  case Type::BF16: handler = absolutes ? absolute<uint32_t, 0x8000u> : negate<uint32_t, 0x8000u>; break;
  default: handler = absolutes ? absolute<uint32_t, 0x80008000u> : negate<uint32_t, 0x80008000u>;
  }
  b.emit(handler, OpClass::Float32, d, x);
}

OpClass classOf(Type type) {
  return type == Type::F64 ? OpClass::Float64 : type == Type::F32 ? OpClass::Float32 : OpClass::Half;
}

Handler binaryHandler(Builder &b, bool isDouble) {
  const std::string &op = b.in().opcode;
  if (op == "add") return isDouble ? binary<double, Add> : binary<float, Add>;
  if (op == "sub") return isDouble ? binary<double, Sub> : binary<float, Sub>;
  if (op == "mul") return isDouble ? binary<double, Mul> : binary<float, Mul>;
  if (op == "div") {
    if (b.has(".approx")) return binary<float, DivApprox>;
    return isDouble ? binary<double, Div> : binary<float, Div>; // .full may err by 2 ulp and does not here
  }
  if (op == "min" && b.has(".NaN")) return binary<float, ExtremeNan<false>>;
  if (op == "max" && b.has(".NaN")) return binary<float, ExtremeNan<true>>;
  if (op == "min") return isDouble ? binary<double, Extreme<false>> : binary<float, Extreme<false>>;
  return isDouble ? binary<double, Extreme<true>> : binary<float, Extreme<true>>;
}

Handler ternaryExtreme(Builder &b) {
  bool largest = b.in().opcode == "max";
  if (b.has(".NaN")) return largest ? ternary<ExtremeNan<true>> : ternary<ExtremeNan<false>>;
  return largest ? ternary<Extreme<true>> : ternary<Extreme<false>>;
}

unsigned flagsOf(Builder &b) {
  return (b.has(".ftz") ? Ftz : 0u) | (b.has(".sat") ? Sat : 0u) | (b.has(".xorsign") ? XorSign : 0u);
}

void decodeCopysign(Builder &b) {
  Type type = b.type();
  Ref x = b.read(1, type), y = b.read(2, type), d = b.write(0, type);
  b.emit(type == Type::F64 ? copySign<uint64_t, uint64_t(1) << 63> : copySign<uint32_t, 0x80000000u>, classOf(type), d,
         x, y);
}

template <class Op> Handler gross() { return unary<double, Gross<Op>>; }

void decodeRoots(Builder &b) { // sqrt, rcp, rsqrt
  b.allowOnly({".approx", ".ftz", ".rn", ".rz", ".rm", ".rp"});
  const std::string &op = b.in().opcode;
  Type type = b.type();
  bool isDouble = type == Type::F64;
  Ref x = b.read(1, type), d = b.write(0, type);
  Handler handler;
  if (int mode = roundingOf(b); mode > 0 && !b.has(".approx")) handler = rounded(op, isDouble);
  else if (isDouble && b.has(".approx")) handler = op == "rcp" ? gross<Rcp>() : gross<Rsqrt>();
  else if (op == "sqrt") handler = isDouble ? unary<double, Sqrt> : unary<float, Sqrt>;
  else if (op == "rcp") handler = isDouble ? unary<double, Rcp> : unary<float, Rcp>;
  else handler = isDouble ? unary<double, Rsqrt> : unary<float, Rsqrt>;
  Instr &in = b.emit(handler, b.has(".approx") ? OpClass::Special : classOf(type), d, x);
  in.aux = flagsOf(b);
  in.small = static_cast<uint16_t>(roundingOf(b));
}

/// ex2 and tanh of packed halves, through float; aux bit 0: bf16, bit 1: two of them.
template <class Op> void halfFunction(Warp &w, const Instr &in, uint32_t active) {
  bool brain = in.aux & 1;
  auto one = [=](uint32_t v) {
    return brain ? toBF16(canonical(Op::of(fromBF16(v)))) : toF16(canonical(Op::of(fromF16(v))));
  };
  bool two = in.aux & 2;
  map1<uint32_t, uint32_t>(w, in, active,
                           [=](uint32_t a) { return one(a & 0xffff) | (two ? one(a >> 16) << 16 : 0u); });
}

template <class Op> void decodeFunction(Builder &b) {
  b.allowOnly({".approx", ".ftz"});
  Type type = b.type();
  Ref x = b.read(1, type), d = b.write(0, type);
  bool half = ptx::byteSize(type) == 2 || type == Type::F16x2 || type == Type::BF16x2;
  Instr &in = b.emit(half ? halfFunction<Op> : unary<float, Op>, OpClass::Special, d, x);
  bool brain = type == Type::BF16 || type == Type::BF16x2;
  in.aux = half ? (brain ? 1u : 0u) | (ptx::byteSize(type) == 4 ? 2u : 0u) : flagsOf(b);
}

} // namespace

int roundingOf(Builder &b) { return b.has(".rz") ? 1 : b.has(".rm") ? 2 : b.has(".rp") ? 3 : 0; }

void decodeArithmetic(Builder &b) {
  const std::string &op = b.in().opcode;
  Type type = b.lastType();
  if (op == "abs" || op == "neg") return decodeSign(b);
  b.allowOnly(
      {".rn", ".rz", ".rm", ".rp", ".ftz", ".sat", ".approx", ".full", ".NaN", ".xorsign", ".abs", ".relu", ".noftz"});
  if (type != Type::F32 && type != Type::F64) return decodeHalf(b);
  if (b.type(1) != Type::None) b.refuse("arithmetic on mixed types is not supported");
  bool isDouble = type == Type::F64, fused = op == "fma" || op == "mad";
  bool three = fused || b.in().operands.size() == 4;
  Ref rows[3] = {0, 0, 0};
  for (unsigned i = 0; i < (three ? 3u : 2u); ++i) rows[i] = b.read(i + 1, type);
  Ref d = b.write(0, type);
  Handler handler;
  if (roundingOf(b)) handler = rounded(fused ? "fma" : op, isDouble);
  else if (fused) handler = isDouble ? fusedMultiplyAdd<double> : fusedMultiplyAdd<float>;
  else if (three) handler = ternaryExtreme(b);
  else handler = binaryHandler(b, isDouble);
  Instr &in =
      b.emit(handler, b.has(".approx") || op == "div" ? OpClass::Special : classOf(type), d, rows[0], rows[1], rows[2]);
  in.aux = flagsOf(b);
  in.small = static_cast<uint16_t>(roundingOf(b));
}

namespace {
constexpr Opcode opcodes[] = {
    {"sqrt", decodeRoots},        {"rcp", decodeRoots},           {"rsqrt", decodeRoots},
    {"ex2", decodeFunction<Ex2>}, {"lg2", decodeFunction<Lg2>},   {"sin", decodeFunction<Sin>},
    {"cos", decodeFunction<Cos>}, {"tanh", decodeFunction<Tanh>}, {"copysign", decodeCopysign}};
} // namespace

} // namespace cudasim::floating

namespace cudasim {
std::span<const Opcode> floatOpcodes() { return floating::opcodes; }
} // namespace cudasim
