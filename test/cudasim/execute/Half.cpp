#include "execute/Float.h"
#include "execute/Rows.h"
#include "execute/SmallFloat.h"

namespace cudasim::floating {
namespace {

using ptx::Type;

enum : unsigned { Brain = 1, Pair = 2, Ftz = 4, Sat = 8, Relu = 16, XorSign = 32 };

struct Add {
  static double of(double a, double b, double) { return sumToOdd(a, b); }
};
struct Sub {
  static double of(double a, double b, double) { return sumToOdd(a, -b); }
};
struct Mul {
  static double of(double a, double b, double) { return a * b; }
}; // exact
struct Fma {
  static double of(double a, double b, double c) { return sumToOdd(a * b, c); }
};
template <bool Largest, bool KeepsNan> struct Extreme {
  static double of(double a, double b, double) {
    if (a != a || b != b) return KeepsNan ? NAN : a != a ? b : a;
    if (a == b) return std::signbit(a) == Largest ? b : a;
    return (a > b) == Largest ? a : b;
  }
};

template <class Op> uint32_t one(uint32_t a, uint32_t b, uint32_t c, unsigned flags) {
  auto value = [=](uint32_t v) -> double {
    v &= 0xffff;
    double x = flags & Brain ? fromBF16(v) : fromF16(v);
    return flags & Ftz && std::fabs(x) < 0x1p-14 ? std::copysign(0.0, x) : x;
  };
  double x = value(a), y = value(b), sign = 0;
  if (flags & XorSign) {
    sign = std::copysign(1.0, x) * std::copysign(1.0, y);
    x = std::fabs(x);
    y = std::fabs(y);
  }
  double r = Op::of(x, y, value(c));
  if (flags & XorSign) r = std::copysign(r, sign);
  if (flags & Sat) r = r > 0 ? std::min(r, 1.0) : 0.0;
  if (flags & Relu) r = r > 0 || r != r ? r : 0.0;
  uint32_t bits = encode(r, flags & Brain ? formatBF16 : formatF16);
  if (flags & Ftz && !(bits & 0x7c00)) bits &= 0x8000;
  return bits;
}

template <class Op> void run(Warp &w, const Instr &in, uint32_t active) {
  unsigned flags = in.aux;
  const uint32_t *a = w.row<uint32_t>(in.a), *b = w.row<uint32_t>(in.b), *c = w.row<uint32_t>(in.c);
  uint32_t *d = w.row<uint32_t>(in.dst);
  eachLane(active, [&](unsigned i) {
    uint32_t low = one<Op>(a[i], b[i], c[i], flags);
    d[i] = flags & Pair ? low | one<Op>(a[i] >> 16, b[i] >> 16, c[i] >> 16, flags) << 16 : low;
  });
}

Handler handlerFor(Builder &b) {
  const std::string &op = b.in().opcode;
  bool nan = b.has(".NaN");
  if (op == "add") return run<Add>;
  if (op == "sub") return run<Sub>;
  if (op == "mul") return run<Mul>;
  if (op == "fma") return run<Fma>;
  if (op == "min") return nan ? run<Extreme<false, true>> : run<Extreme<false, false>>;
  if (op == "max") return nan ? run<Extreme<true, true>> : run<Extreme<true, false>>;
  b.refuse("the stand-in does not support this type");
}

} // namespace

void decodeHalf(Builder &b) {
  Type type = b.lastType();
  bool three = b.in().operands.size() == 4;
  Ref rows[3] = {0, 0, 0};
  for (unsigned i = 0; i < (three ? 3u : 2u); ++i) rows[i] = b.read(i + 1, type);
  if (!three) rows[2] = b.constant(0, false);
  if (three && b.in().opcode != "fma") b.refuse("three operands are not supported for this type");
  Ref d = b.write(0, type);
  bool brain = type == Type::BF16 || type == Type::BF16x2;
  b.emit(handlerFor(b), OpClass::Half, d, rows[0], rows[1], rows[2]).aux =
      (brain ? Brain : 0u) | (ptx::byteSize(type) == 4 ? Pair : 0u) | (b.has(".ftz") ? Ftz : 0u) |
      (b.has(".sat") ? Sat : 0u) | (b.has(".relu") ? Relu : 0u) | (b.has(".xorsign") ? XorSign : 0u);
}

} // namespace cudasim::floating
