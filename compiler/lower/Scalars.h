#pragma once
/// Arithmetic in the bodies of nests, for lowerings that are written by hand: floats and signed integers alike.
#include "kernel/Kernel.h"

#include "mlir/IR/Builders.h"

namespace tensorjit::lower_ops {

using namespace mlir; // NOLINT

struct Scalars {
  OpBuilder &b;
  Location loc;

  Value constant(Type type, double value) {
    if (auto integer = dyn_cast<IntegerType>(type))
      return arith::ConstantOp::create(b, loc, b.getIntegerAttr(integer, static_cast<int64_t>(value)));
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  }
  Value integer(int64_t value) { return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value)); }
  Value index(unsigned dim) { return kernel::IndexOp::create(b, loc, b.getI64Type(), dim); }
  Value index(AffineExpr expr, ArrayRef<int64_t> sizes);

  Value add(Value x, Value y) { return arithmetic<arith::AddFOp, arith::AddIOp>(x, y); }
  Value sub(Value x, Value y) { return arithmetic<arith::SubFOp, arith::SubIOp>(x, y); }
  Value mul(Value x, Value y) { return arithmetic<arith::MulFOp, arith::MulIOp>(x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, loc, x, y); }
  Value neg(Value x) { return arith::NegFOp::create(b, loc, x); }
  Value exp(Value x) { return math::ExpOp::create(b, loc, x); }
  Value log(Value x) { return math::LogOp::create(b, loc, x); }
  Value select(Value condition, Value x, Value y) { return arith::SelectOp::create(b, loc, condition, x, y); }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, loc, x, y); }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  Value equal(Value x, Value y) { return compare(arith::CmpIPredicate::eq, x, y); }
  Value notEqual(Value x, Value y) { return compare(arith::CmpIPredicate::ne, x, y); }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, loc, predicate, x, y);
  }
  Value isNotZero(Value x) {
    Value zero = constant(x.getType(), 0);
    return isa<FloatType>(x.getType()) ? compare(arith::CmpFPredicate::UNE, x, zero) : notEqual(x, zero);
  }
  Value toI64(Value x) {
    return x.getType().isInteger(64) ? x : arith::ExtSIOp::create(b, loc, b.getI64Type(), x).getResult();
  }

  Value reduce(kernel::ReduceKind kind, Value x) { return kernel::ReduceOp::create(b, loc, x.getType(), kind, x); }
  Value sum(Value x) { return reduce(kernel::ReduceKind::Add, x); }

private:
  template <class Float, class Integer> Value arithmetic(Value x, Value y) {
    if (isa<FloatType>(x.getType())) return Float::create(b, loc, x, y);
    return Integer::create(b, loc, x, y);
  }
};

} // namespace tensorjit::lower_ops
