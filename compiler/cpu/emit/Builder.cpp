#include "cpu/emit/Builder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tensorjit::cpu {

Value Builder::index(int64_t value) { return constant(b.getIndexAttr(value)); }

Value Builder::constant(TypedAttr value) {
  Value &known = constants_[value];
  if (known) return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(entry_);
  return known = arith::ConstantOp::create(b, loc, value);
}

static TypedAttr splat(Type type, TypedAttr scalar) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? cast<TypedAttr>(DenseElementsAttr::get(vector, scalar)) : scalar;
}

Value Builder::number(Type type, double value) {
  Type element = getElementTypeOrSelf(type);
  if (isa<FloatType>(element)) return constant(splat(type, FloatAttr::get(element, value)));
  return integer(type, static_cast<int64_t>(value));
}

Value Builder::integer(Type type, int64_t value) {
  return constant(splat(type, IntegerAttr::get(getElementTypeOrSelf(type), value)));
}

Value Builder::add(Value x, Value y) { return b.createOrFold<arith::AddIOp>(loc, x, y); }
Value Builder::sub(Value x, Value y) { return b.createOrFold<arith::SubIOp>(loc, x, y); }
Value Builder::mul(Value x, int64_t factor) {
  if (factor == 1) return x;
  return b.createOrFold<arith::MulIOp>(loc, x, integer(x.getType(), factor));
}
Value Builder::div(Value x, int64_t divisor) {
  if (divisor == 1) return x;
  return b.createOrFold<arith::DivUIOp>(loc, x, integer(x.getType(), divisor));
}
Value Builder::rem(Value x, int64_t divisor) {
  if (divisor == 1) return integer(x.getType(), 0);
  return b.createOrFold<arith::RemUIOp>(loc, x, integer(x.getType(), divisor));
}
Value Builder::min(Value x, Value y) { return b.createOrFold<arith::MinSIOp>(loc, x, y); }
Value Builder::max(Value x, Value y) { return b.createOrFold<arith::MaxSIOp>(loc, x, y); }

Value Builder::andBits(Value x, Value y) {
  if (!x || !y) return x ? x : y;
  return b.createOrFold<arith::AndIOp>(loc, x, y);
}

Value Builder::compare(arith::CmpIPredicate predicate, Value x, Value y) {
  return b.createOrFold<arith::CmpIOp>(loc, predicate, x, y);
}

Value Builder::select(Value condition, Value x, Value y) {
  return b.createOrFold<arith::SelectOp>(loc, condition, x, y);
}

Value Builder::broadcast(Value scalar, int64_t lanes) {
  if (lanes == 1 || isa<VectorType>(scalar.getType())) return scalar;
  return vector::BroadcastOp::create(b, loc, VectorType::get({lanes}, scalar.getType()), scalar);
}

Value Builder::splatIndex(Value index, Type type, int64_t lanes) {
  return broadcast(b.createOrFold<arith::IndexCastOp>(loc, type, index), lanes);
}

Value Builder::firstLanes(int64_t count, int64_t lanes) {
  if (count >= lanes) return {};
  SmallVector<bool> active(lanes);
  std::fill_n(active.begin(), count, true);
  return constant(DenseElementsAttr::get(VectorType::get({lanes}, b.getI1Type()), active));
}

Value Builder::iota(Type type, int64_t lanes, int64_t step) {
  unsigned width = type.getIntOrFloatBitWidth();
  SmallVector<APInt> values;
  for (int64_t i = 0; i < lanes; ++i) values.push_back(APInt(width, static_cast<uint64_t>(i * step), true));
  return constant(DenseElementsAttr::get(VectorType::get({lanes}, type), values));
}

Values Builder::loop(Value lo, Value hi, int64_t step, ValueRange init, function_ref<Values(Value, ValueRange)> body) {
  if (auto first = getConstantIntValue(lo), end = getConstantIntValue(hi); first && end) {
    if (*first >= *end) return Values(init);
    if (*first + step >= *end) return body(lo, init);
  }
  auto op = scf::ForOp::create(b, loc, lo, hi, index(step), init);
  OpBuilder::InsertionGuard guard(b);
  if (init.empty()) {
    b.setInsertionPoint(op.getBody()->getTerminator());
    body(op.getInductionVar(), {});
    return {};
  }
  b.setInsertionPointToEnd(op.getBody());
  scf::YieldOp::create(b, loc, body(op.getInductionVar(), op.getRegionIterArgs()));
  return Values(op.getResults());
}

void Builder::loop(Value lo, Value hi, int64_t step, function_ref<void(Value)> body) {
  loop(lo, hi, step, {}, [&](Value i, ValueRange) -> Values {
    body(i);
    return {};
  });
}

void Builder::ifThen(Value condition, function_ref<void()> body) {
  auto op = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.thenBlock());
  body();
}

void Builder::ifThenElse(Value condition, function_ref<void()> then, function_ref<void()> otherwise) {
  auto op = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.thenBlock());
  then();
  b.setInsertionPointToStart(op.elseBlock());
  otherwise();
}

} // namespace tensorjit::cpu
