#include "cpu/emit/ScalarOps.h"

#include "cpu/emit/Half.h"
#include "cpu/emit/MathCalls.h"

using namespace mlir;

namespace tensorjit::cpu {

static Type resultType(Operation *op, ValueRange operands) {
  int64_t lanes = operands.empty() ? 1 : lanesOf(operands[0].getType());
  return withLanes(op->getResult(0).getType(), lanes);
}

Value emitScalarOp(Emission &emission, Operation *op, ValueRange operands) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) return emission.b.constant(constant.getValue());
  if (Value value = emitMath(emission, op, operands)) return value;
  if (isa<arith::ExtFOp>(op) && isHalf(op->getOperand(0).getType())) return widenHalf(emission.b, operands[0]);
  if (isa<arith::TruncFOp>(op) && isHalf(op->getResult(0).getType()))
    return roundToHalf(emission.b, operands[0], op->getResult(0).getType());
  if (isa<arith::RemFOp>(op)) emission.callsLibm = true; // LLVM calls fmod
  OperationState state(emission.b.loc, op->getName(), operands, resultType(op, operands), op->getAttrs());
  return emission.b.b.create(state)->getResult(0);
}

} // namespace tensorjit::cpu
