// Random numbers: each element makes its own block of Philox4x32-10 (runtime/core/Philox.h) and takes its words of it,
// so that it depends on its place alone, however the nest is split, fused or vectorised. Where neighbours share a block
// is the code generator's to see (cuda/Positions.h); the CPU's does not, and leaves to eager kernels what that is too
// slow for (cpu/Refusal.cpp).
#include "lower/Lowering.h"
#include "lower/ScalarBuilder.h"
#include "lower/Scalars.h"

#include <array>
#include <cmath>

namespace tensorjit::lower_ops {

namespace {

/// 64-bit values, of which often only the lower half counts: so words of 32 bits stay in one kind of register.
struct Words {
  Scalars s;

  Value low(Value x) const {
    Value narrow = arith::TruncIOp::create(s.b, s.loc, s.b.getI32Type(), x);
    return arith::ExtUIOp::create(s.b, s.loc, s.b.getI64Type(), narrow);
  }
  Value right(Value x, int64_t n) { return arith::ShRUIOp::create(s.b, s.loc, x, s.integer(n)); }
  Value left(Value x, int64_t n) { return arith::ShLIOp::create(s.b, s.loc, x, s.integer(n)); }
  Value both(Value x, Value y) const { return arith::XOrIOp::create(s.b, s.loc, x, y); }
  Value join(Value low32, Value high) { return arith::OrIOp::create(s.b, s.loc, low(low32), left(high, 32)); }

  /// The four words of a block; of each only the lower half counts.
  std::array<Value, 4> block(Value seed, Value number) {
    Value zero = s.integer(0);
    std::array<Value, 4> c{number, right(number, 32), zero, zero};
    Value k0 = seed, k1 = right(seed, 32);
    for (int round = 0; round < 10; ++round) {
      if (round) k0 = s.add(k0, s.integer(0x9E3779B9)), k1 = s.add(k1, s.integer(0xBB67AE85));
      Value p0 = s.mul(low(c[0]), s.integer(0xD2511F53)), p1 = s.mul(low(c[2]), s.integer(0xCD9E8D57));
      c = {both(both(right(p1, 32), c[1]), k0), p1, both(both(right(p0, 32), c[3]), k1), p0};
    }
    return c;
  }
};

/// A nest over the elements in row-major order; `make` gives one from seed, offset and its number.
Values overElements(Lowering &l, llvm::function_ref<Value(Words, Value seed, Value offset, Value number)> make) {
  Type element = l.resultType().getElementType();
  NestBuilder nest = l.nest();
  AffineExpr position = nest.parallel(l.resultType().getNumElements());
  nest.input(l.operand(0), {});
  nest.input(l.operand(1), {});
  nest.output(element, position);
  auto body = [&](OpBuilder &b, Location loc, ValueRange in) -> Values {
    Words w{{b, loc}};
    return {make(w, in[0], in[1], w.s.index(0))};
  };
  Value flat = nest.create(body)->getResult(0);
  return {kernel::ViewOp::create(l.builder, l.loc(), l.resultType(), flat)};
}

Value isOdd(Words w, Value number) { return w.s.notEqual(w.s.both(number, w.s.integer(1)), w.s.integer(0)); }
/// Whether the second two of a block's words or elements are meant.
Value isInSecondHalf(Words w, Value number) { return w.s.notEqual(w.s.both(number, w.s.integer(2)), w.s.integer(0)); }

Values randomBits(Lowering &l) {
  const bool wide = l.resultType().getElementType().isInteger(64);
  return overElements(l, [&](Words w, Value seed, Value offset, Value number) -> Value {
    auto c = w.block(seed, w.s.add(offset, w.right(number, wide ? 1 : 2)));
    Value odd = isOdd(w, number);
    if (wide) return w.s.select(odd, w.join(c[2], c[3]), w.join(c[0], c[1]));
    Value second = isInSecondHalf(w, number);
    Value word = w.s.select(second, w.s.select(odd, c[3], c[2]), w.s.select(odd, c[1], c[0]));
    return arith::TruncIOp::create(w.s.b, w.s.loc, w.s.b.getI32Type(), word);
  });
}

/// `kept` upper bits of the lower `width`, and one more where `up`, as a float below 1, or up to 1.
Value fraction(Words w, Value bits, unsigned width, FloatType type, bool up) {
  const unsigned kept = type.getFPMantissaWidth();
  Value top = w.right(width == 32 ? w.low(bits) : bits, width - kept);
  if (up) top = w.s.add(top, w.s.integer(1));
  if (width == 32) top = arith::TruncIOp::create(w.s.b, w.s.loc, w.s.b.getI32Type(), top);
  Value number = arith::SIToFPOp::create(w.s.b, w.s.loc, type, top);
  return w.s.mul(number, w.s.constant(type, std::ldexp(1.0, -static_cast<int>(kept))));
}

/// The order of operations is that of runtime/eager/loops/Random.cpp.
Values randomNormal(Lowering &l) {
  auto type = cast<FloatType>(l.resultType().getElementType());
  return overElements(l, [&](Words w, Value seed, Value offset, Value number) -> Value {
    const bool wide = type.isF64();
    auto c = w.block(seed, w.s.add(offset, w.right(number, wide ? 1 : 2)));
    Value odd = isOdd(w, number), forU, forT;
    if (wide) {
      forU = w.join(c[0], c[1]), forT = w.join(c[2], c[3]);
    } else {
      Value second = isInSecondHalf(w, number);
      forU = w.s.select(second, c[2], c[0]), forT = w.s.select(second, c[3], c[1]);
    }
    const unsigned width = wide ? 64 : 32;
    Value u = fraction(w, forU, width, type, true), t = fraction(w, forT, width, type, false);
    ScalarBuilder build(w.s.b, w.s.loc, type, false, ScalarBuilder::Functions::Steps);
    Value r = build.sqrt(build.mul(build.number("-2.0"), build.log(u)));
    if (!wide) return build.mul(r, build.cosTurns(build.select(odd, build.sub(t, build.number("0.25")), t)));
    Value angle = build.mul(w.s.constant(type, 0x1.921fb54442d18p+2), t);
    return build.mul(r, build.select(odd, build.sin(angle), build.cos(angle)));
  });
}

} // namespace

ArrayRef<LowerEntry> randomLowerings() {
  static constexpr LowerEntry entries[] = {{"random_bits", randomBits}, {"random_normal", randomNormal}};
  return entries;
}

} // namespace tensorjit::lower_ops
