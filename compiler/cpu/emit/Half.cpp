// As core/HalfBits.h does it in eager kernels.
#include "cpu/emit/Half.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tensorjit::cpu {

namespace {

/// Arithmetic on the bits of f32.
struct Bits {
  Builder &b;
  int64_t lanes;

  Type word() const { return withLanes(b.b.getI32Type(), lanes); }
  Value constant(uint32_t value) const { return b.integer(word(), static_cast<int32_t>(value)); }
  Value of(Value single) const { return arith::BitcastOp::create(b.b, b.loc, word(), single); }
  Value single(Value bits) const {
    return arith::BitcastOp::create(b.b, b.loc, withLanes(b.b.getF32Type(), lanes), bits);
  }
  Value add(Value x, uint32_t y) const { return b.add(x, constant(y)); }
  Value mask(Value x, uint32_t y) const { return arith::AndIOp::create(b.b, b.loc, x, constant(y)); }
  Value either(Value x, Value y) const { return arith::OrIOp::create(b.b, b.loc, x, y); }
  Value left(Value x, uint32_t n) const { return arith::ShLIOp::create(b.b, b.loc, x, constant(n)); }
  Value right(Value x, uint32_t n) const { return arith::ShRUIOp::create(b.b, b.loc, x, constant(n)); }
  Value compare(arith::CmpIPredicate predicate, Value x, uint32_t y) const {
    return b.compare(predicate, x, constant(y));
  }
  /// The bits of x + y, both taken as f32.
  Value addFloats(Value x, uint32_t y) const {
    return of(arith::AddFOp::create(b.b, b.loc, single(x), single(constant(y))));
  }

  Value narrow(Value bits, Type element) const {
    Value half = arith::TruncIOp::create(b.b, b.loc, withLanes(b.b.getI16Type(), lanes), bits);
    return b.b.createOrFold<arith::BitcastOp>(b.loc, withLanes(element, lanes), half);
  }
  Value wide(Value half) const {
    Value bits = b.b.createOrFold<arith::BitcastOp>(b.loc, withLanes(b.b.getI16Type(), lanes), half);
    return arith::ExtUIOp::create(b.b, b.loc, word(), bits);
  }
};

constexpr uint32_t minusDenormal = 0x80000000u | 113u << 23; // -2^-14

Value widenF16(const Bits &bits, Value half) {
  Value h = bits.wide(half), magnitude = bits.left(bits.mask(h, 0x7fff), 13);
  Value exponent = bits.mask(magnitude, 0x7c00u << 13);
  Value normal = bits.add(magnitude, 112u << 23), special = bits.add(magnitude, 224u << 23);
  Value small = bits.addFloats(bits.add(magnitude, 113u << 23), minusDenormal);
  Value isSmall = bits.compare(arith::CmpIPredicate::eq, exponent, 0);
  Value isSpecial = bits.compare(arith::CmpIPredicate::eq, exponent, 0x7c00u << 13);
  Value result = bits.b.select(isSpecial, special, bits.b.select(isSmall, small, normal));
  return bits.single(bits.either(result, bits.left(bits.mask(h, 0x8000), 16)));
}

Value roundToF16(const Bits &bits, Value single) {
  constexpr uint32_t oneHalf = 126u << 23;
  Value all = bits.of(single), u = bits.mask(all, 0x7fffffff);
  Value isNan = bits.compare(arith::CmpIPredicate::ugt, u, 0x7f800000);
  Value large = bits.b.select(isNan, bits.constant(0x7e00), bits.constant(0x7c00));
  Value odd = bits.mask(bits.right(u, 13), 1);
  Value normal = bits.right(bits.b.add(bits.add(u, 0xfff - (112u << 23)), odd), 13);
  Value small = bits.add(bits.addFloats(u, oneHalf), 0u - oneHalf);
  Value isLarge = bits.compare(arith::CmpIPredicate::uge, u, 143u << 23);
  Value isSmall = bits.compare(arith::CmpIPredicate::ult, u, 113u << 23);
  Value result = bits.b.select(isLarge, large, bits.b.select(isSmall, small, normal));
  return bits.either(result, bits.right(bits.mask(all, 0x80000000), 16));
}

Value roundToBF16(const Bits &bits, Value single) {
  Value all = bits.of(single), high = bits.right(all, 16);
  Value rounded = bits.right(bits.b.add(bits.add(all, 0x7fff), bits.mask(high, 1)), 16);
  Value isNan = bits.compare(arith::CmpIPredicate::ugt, bits.mask(all, 0x7fffffff), 0x7f800000);
  return bits.b.select(isNan, bits.either(high, bits.constant(0x40)), rounded);
}

} // namespace

Value widenHalf(Emission &emission, Value half) {
  Bits bits{emission.b, lanesOf(half.getType())};
  if (getElementTypeOrSelf(half.getType()).isBF16()) return bits.single(bits.left(bits.wide(half), 16));
  if (!emission.target.half) return widenF16(bits, half);
  return arith::ExtFOp::create(bits.b.b, bits.b.loc, withLanes(bits.b.b.getF32Type(), bits.lanes), half);
}

Value roundToHalf(Emission &emission, Value single, Type element) {
  Bits bits{emission.b, lanesOf(single.getType())};
  if (element.isBF16()) return bits.narrow(roundToBF16(bits, single), element);
  if (!emission.target.half) return bits.narrow(roundToF16(bits, single), element);
  return arith::TruncFOp::create(bits.b.b, bits.b.loc, withLanes(element, bits.lanes), single);
}

} // namespace tensorjit::cpu
