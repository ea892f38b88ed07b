#include "cpu/emit/ScalarOps.h"

#include "cpu/emit/Half.h"
#include "cpu/emit/MathCalls.h"

using namespace mlir;

namespace tensorjit::cpu {

static Type resultType(Operation *op, ValueRange operands) {
  int64_t lanes = operands.empty() ? 1 : lanesOf(operands[0].getType());
  return withLanes(op->getResult(0).getType(), lanes);
}

// LLVM's quotients are rounded toward zero, these down. Divisors of index arithmetic are positive.
static Value floorQuotient(Builder &b, Value x, Value divisor) {
  Value quotient = arith::DivSIOp::create(b.b, b.loc, x, divisor);
  Value rest = arith::RemSIOp::create(b.b, b.loc, x, divisor);
  Value isBelow = b.compare(arith::CmpIPredicate::slt, rest, b.integer(x.getType(), 0));
  return b.select(isBelow, arith::SubIOp::create(b.b, b.loc, quotient, b.integer(x.getType(), 1)), quotient);
}

static Value ceilQuotient(Builder &b, Value x, Value divisor) {
  Value zero = b.integer(x.getType(), 0);
  Value down = floorQuotient(b, arith::SubIOp::create(b.b, b.loc, zero, x), divisor);
  return arith::SubIOp::create(b.b, b.loc, zero, down);
}

Value emitScalarOp(Emission &emission, Operation *op, ValueRange operands) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) return emission.b.constant(constant.getValue());
  if (Value value = emitMath(emission, op, operands)) return value;
  if (isa<arith::ExtFOp>(op) && kernel::isHalf(op->getOperand(0).getType())) return widenHalf(emission, operands[0]);
  if (isa<arith::TruncFOp>(op) && kernel::isHalf(op->getResult(0).getType()))
    return roundToHalf(emission, operands[0], op->getResult(0).getType());
  if (isa<arith::FloorDivSIOp>(op)) return floorQuotient(emission.b, operands[0], operands[1]);
  if (isa<arith::CeilDivSIOp>(op)) return ceilQuotient(emission.b, operands[0], operands[1]);
  if (isa<arith::RemFOp>(op)) emission.callsLibm = true; // LLVM calls fmod
  OperationState state(emission.b.loc, op->getName(), operands, resultType(op, operands), op->getAttrs());
  return emission.b.b.create(state)->getResult(0);
}

} // namespace tensorjit::cpu
