#include "cpu/emit/Accumulator.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tensorjit::cpu {

static TypedAttr extremeAttr(Type type, bool lowest) {
  if (auto real = dyn_cast<FloatType>(type))
    return FloatAttr::get(type, APFloat::getInf(real.getFloatSemantics(), /*Negative=*/lowest));
  unsigned width = type.getIntOrFloatBitWidth();
  if (width == 1) return IntegerAttr::get(type, !lowest);
  return IntegerAttr::get(type, lowest ? APInt::getSignedMinValue(width) : APInt::getSignedMaxValue(width));
}

static bool reducesNothing(kernel::ReduceOp reduce) {
  auto nest = reduce->getParentOfType<kernel::NestOp>();
  return llvm::any_of(nest.getReductionDims(), [&](unsigned dim) { return nest.getSize(dim) == 0; });
}

static TypedAttr identityAttr(kernel::ReduceKind kind, Type type, bool ofNothing) {
  bool real = isa<FloatType>(type);
  switch (kind) {
  case kernel::ReduceKind::Add:
    // -0 + x is x for every x; a sum of nothing is +0.
    return real ? TypedAttr(FloatAttr::get(type, ofNothing ? 0.0 : -0.0)) : TypedAttr(IntegerAttr::get(type, 0));
  case kernel::ReduceKind::Mul:
    return real ? TypedAttr(FloatAttr::get(type, 1.0)) : TypedAttr(IntegerAttr::get(type, 1));
  case kernel::ReduceKind::Max: return extremeAttr(type, /*lowest=*/true);
  case kernel::ReduceKind::Min: return extremeAttr(type, /*lowest=*/false);
  case kernel::ReduceKind::And: return IntegerAttr::get(type, -1);
  case kernel::ReduceKind::Or: return IntegerAttr::get(type, 0);
  }
  llvm_unreachable("unknown reduction");
}

Values identityOf(Emission &emission, Operation *reduction, int64_t lanes) {
  Builder &b = emission.b;
  auto splat = [&](TypedAttr scalar) { return b.broadcast(b.constant(scalar), lanes); };
  if (auto reduce = dyn_cast<kernel::ReduceOp>(reduction))
    return {splat(identityAttr(reduce.getKind(), reduce.getType(), reducesNothing(reduce)))};
  if (auto scan = dyn_cast<kernel::ScanOp>(reduction))
    return {splat(identityAttr(scan.getKind(), scan.getType(), scan.getExclusive()))};
  auto arg = cast<kernel::ArgReduceOp>(reduction);
  bool lowest = arg.getKind() == kernel::ArgReduceKind::Max;
  // Any real index is smaller, so that even a row of -inf has one.
  return {splat(extremeAttr(arg.getValue().getType(), lowest)), splat(b.b.getI64IntegerAttr(INT64_MAX))};
}

static Value combineValues(Emission &emission, kernel::ReduceKind kind, Value left, Value right) {
  OpBuilder &b = emission.b.b;
  Location loc = emission.b.loc;
  Type element = getElementTypeOrSelf(left.getType());
  bool real = isa<FloatType>(element), boolean = element.isInteger(1);
  switch (kind) {
  case kernel::ReduceKind::Add:
    return real ? Value(arith::AddFOp::create(b, loc, left, right)) : Value(arith::AddIOp::create(b, loc, left, right));
  case kernel::ReduceKind::Mul:
    return real ? Value(arith::MulFOp::create(b, loc, left, right)) : Value(arith::MulIOp::create(b, loc, left, right));
  case kernel::ReduceKind::Max:
    if (real) return arith::MaximumFOp::create(b, loc, left, right);
    if (boolean) return arith::OrIOp::create(b, loc, left, right);
    return arith::MaxSIOp::create(b, loc, left, right);
  case kernel::ReduceKind::Min:
    if (real) return arith::MinimumFOp::create(b, loc, left, right);
    if (boolean) return arith::AndIOp::create(b, loc, left, right);
    return arith::MinSIOp::create(b, loc, left, right);
  case kernel::ReduceKind::And: return arith::AndIOp::create(b, loc, left, right);
  case kernel::ReduceKind::Or: return arith::OrIOp::create(b, loc, left, right);
  }
  llvm_unreachable("unknown reduction");
}

static bool isReal(Value value) { return isa<FloatType>(getElementTypeOrSelf(value.getType())); }

static Value compareReal(Builder &b, arith::CmpFPredicate predicate, Value x, Value y) {
  return arith::CmpFOp::create(b.b, b.loc, predicate, x, y);
}
static Value isNan(Builder &b, Value x) { return compareReal(b, arith::CmpFPredicate::UNO, x, x); }

static Value isMoreExtreme(Builder &b, bool max, Value left, Value right) {
  if (isReal(left)) {
    // "more or unordered" but for a NaN on the left alone or on both sides.
    Value more = compareReal(b, max ? arith::CmpFPredicate::UGT : arith::CmpFPredicate::ULT, right, left);
    return arith::AndIOp::create(b.b, b.loc, more, compareReal(b, arith::CmpFPredicate::ORD, left, left));
  }
  bool boolean = getElementTypeOrSelf(left.getType()).isInteger(1);
  auto greater = boolean ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt;
  auto less = boolean ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  return b.compare(max ? greater : less, right, left);
}

static Value isAsExtreme(Builder &b, Value left, Value right) {
  if (!isReal(left)) return b.compare(arith::CmpIPredicate::eq, right, left);
  Value bothNan = arith::AndIOp::create(b.b, b.loc, isNan(b, left), isNan(b, right));
  return arith::OrIOp::create(b.b, b.loc, compareReal(b, arith::CmpFPredicate::OEQ, left, right), bothNan);
}

// `right` takes over where it is more extreme, or as extreme with a smaller index.
static Value takesOver(Emission &emission, bool max, ValueRange left, ValueRange right) {
  Builder &b = emission.b;
  Value more = isMoreExtreme(b, max, left[0], right[0]), same = isAsExtreme(b, left[0], right[0]);
  Value earlier = b.compare(arith::CmpIPredicate::slt, right[1], left[1]);
  return arith::OrIOp::create(b.b, b.loc, more, b.andBits(same, earlier));
}

Values combine(Emission &emission, Operation *reduction, ValueRange left, ValueRange right) {
  if (auto reduce = dyn_cast<kernel::ReduceOp>(reduction))
    return {combineValues(emission, reduce.getKind(), left[0], right[0])};
  if (auto scan = dyn_cast<kernel::ScanOp>(reduction))
    return {combineValues(emission, scan.getKind(), left[0], right[0])};
  bool max = cast<kernel::ArgReduceOp>(reduction).getKind() == kernel::ArgReduceKind::Max;
  Value take = takesOver(emission, max, left, right);
  return {emission.b.select(take, right[0], left[0]), emission.b.select(take, right[1], left[1])};
}

Values combineRising(Emission &emission, kernel::ArgReduceOp reduction, ValueRange left, ValueRange right) {
  Value take = isMoreExtreme(emission.b, reduction.getKind() == kernel::ArgReduceKind::Max, left[0], right[0]);
  return {emission.b.select(take, right[0], left[0]), emission.b.select(take, right[1], left[1])};
}

static Value half(Emission &emission, Value vector, int64_t first, int64_t lanes) {
  SmallVector<int64_t> mask;
  for (int64_t i = 0; i < lanes; ++i) mask.push_back(first + i);
  return vector::ShuffleOp::create(emission.b.b, emission.b.loc, vector, vector, mask);
}

Values combineLanes(Emission &emission, Operation *reduction, ValueRange start) {
  Values values(start);
  for (int64_t lanes = lanesOf(values[0].getType()); lanes > 1; lanes /= 2) {
    Values low, high;
    for (Value value : values) {
      low.push_back(half(emission, value, 0, lanes / 2));
      high.push_back(half(emission, value, lanes / 2, lanes / 2));
    }
    values = combine(emission, reduction, low, high);
  }
  for (Value &value : values)
    if (isa<VectorType>(value.getType())) value = vector::ExtractOp::create(emission.b.b, emission.b.loc, value, 0);
  return values;
}

Values selectActive(Emission &emission, Value active, ValueRange next, ValueRange otherwise) {
  if (!active) return Values(next);
  Values result;
  for (auto [yes, no] : llvm::zip_equal(next, otherwise)) result.push_back(emission.b.select(active, yes, no));
  return result;
}

bool isRounded(Operation *reduction) {
  auto reduce = dyn_cast<kernel::ReduceOp>(reduction);
  return reduce && isa<FloatType>(reduce.getType()) &&
         (reduce.getKind() == kernel::ReduceKind::Add || reduce.getKind() == kernel::ReduceKind::Mul);
}

} // namespace tensorjit::cpu
