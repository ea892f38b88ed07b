// Conversions between dtypes.
#include "kernel/HalfType.h"
#include "lower/Lowering.h"
#include "lower/Scalars.h"

#include <cmath>

namespace tensorjit::lower_ops {

// Truncates and saturates; NaN gives 0. What is converted is always in range, so that every device agrees.
static Value floatToInteger(Scalars s, Value x, IntegerType to, bool isUnsigned) {
  unsigned width = to.getWidth();
  double lo = isUnsigned ? 0.0 : -std::ldexp(1.0, static_cast<int>(width) - 1);
  double hi = std::ldexp(1.0, static_cast<int>(isUnsigned ? width : width - 1));
  Value low = s.constant(x.getType(), lo), high = s.constant(x.getType(), hi);
  Value aboveLow = s.compare(arith::CmpFPredicate::OGE, x, low);
  Value belowHigh = s.compare(arith::CmpFPredicate::OLT, x, high);
  Value safe = s.select(s.both(aboveLow, belowHigh), x, s.constant(x.getType(), 0));
  Type wide = width < 32 ? s.b.getI32Type() : Type(to);
  Value result = arith::FPToSIOp::create(s.b, s.loc, wide, safe);
  if (wide != to) result = arith::TruncIOp::create(s.b, s.loc, to, result);
  auto limit = [&](const APInt &value) -> Value {
    return arith::ConstantOp::create(s.b, s.loc, s.b.getIntegerAttr(to, value));
  };
  Value largest = limit(isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width));
  Value smallest = limit(isUnsigned ? APInt::getMinValue(width) : APInt::getSignedMinValue(width));
  result = s.select(s.compare(arith::CmpFPredicate::OGE, x, high), largest, result);
  return s.select(s.compare(arith::CmpFPredicate::OLT, x, low), smallest, result);
}

static Value convert(Scalars s, Value x, Type from, Type to) {
  // f16 and bf16 meet the others, and each other, in f32.
  Type single = s.b.getF32Type();
  if (from != to && kernel::isHalf(from) && to != single)
    return convert(s, arith::ExtFOp::create(s.b, s.loc, single, x), single, to);
  if (from != to && kernel::isHalf(to) && from != single)
    return arith::TruncFOp::create(s.b, s.loc, to, convert(s, x, from, single));
  Type target = kernel::scalarType(to);
  if (from == to) return x;
  if (to.isInteger(1)) return s.isNotZero(x);
  bool fromUnsigned = from.isUnsignedInteger() || from.isInteger(1);
  if (isa<FloatType>(from)) {
    if (auto integer = dyn_cast<IntegerType>(to))
      return floatToInteger(s, x, cast<IntegerType>(target), integer.isUnsigned());
    if (from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth()) return arith::ExtFOp::create(s.b, s.loc, target, x);
    return arith::TruncFOp::create(s.b, s.loc, target, x);
  }
  if (isa<FloatType>(to)) {
    if (fromUnsigned) return arith::UIToFPOp::create(s.b, s.loc, target, x);
    return arith::SIToFPOp::create(s.b, s.loc, target, x);
  }
  unsigned fromWidth = from.getIntOrFloatBitWidth(), toWidth = to.getIntOrFloatBitWidth();
  if (fromWidth == toWidth) return x;
  if (fromWidth > toWidth) return arith::TruncIOp::create(s.b, s.loc, target, x);
  if (fromUnsigned) return arith::ExtUIOp::create(s.b, s.loc, target, x);
  return arith::ExtSIOp::create(s.b, s.loc, target, x);
}

static Values castElements(Lowering &l) {
  NestBuilder nest = l.nest();
  SmallVector<AffineExpr> dims = nest.parallel(l.shape(0));
  nest.input(l.operand(0), dims);
  nest.output(l.resultType().getElementType(), dims);
  auto body = [&](OpBuilder &b, Location loc, ValueRange in) -> Values {
    return {convert({b, loc}, in[0], l.type(0).getElementType(), l.resultType().getElementType())};
  };
  return Values(nest.create(body)->getResults());
}

ArrayRef<LowerEntry> castLowerings() {
  static constexpr LowerEntry entries[] = {{"cast", castElements}};
  return entries;
}

} // namespace tensorjit::lower_ops
