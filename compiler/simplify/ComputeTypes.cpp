// Ops on a dtype that is only stored work in the one in which it computes, f32 for f16 and bf16 and i32 for i16:
//
//   %y = tj.exp %x : f16   ->   %w = tj.cast %x : f16 -> f32
//                               %e = tj.exp %w : f32
//                               %y = tj.cast %e : f32 -> f16
//
// The casts are the op's own rounding, so the bits are those of its eager kernel; fusion puts them where elements are
// read and written. Ops that only move elements stay.
#include "simplify/Simplify.h"

#include "op/MovesElements.h"
#include "op/PointwiseIds.h"
#include "tensor/OpBridge.h"

using namespace mlir;

namespace tensorjit {

static Type computeTypeOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.clone(tj::elementType(type.getContext(), computeType(*tj::dtypeOf(tensor.getElementType()))));
}

static Value castTo(OpBuilder &builder, Location loc, Value value, Type type) {
  if (value.getType() == type) return value;
  Attrs attrs;
  attrs.addDType(*tj::dtypeOf(cast<RankedTensorType>(type).getElementType()));
  return tj::createOp(builder, loc, opid::Cast, value, attrs, type)->getResult(0);
}

static bool widens(Operation *op) {
  auto id = tj::opIdOf(op);
  if (!id || *id == opid::Cast || movesElements(info(*id))) return false;
  auto isStored = [](Type type) { return computeTypeOf(type) != type; };
  return llvm::any_of(op->getOperandTypes(), isStored) || llvm::any_of(op->getResultTypes(), isStored);
}

static void widen(Operation *op) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  SmallVector<Value> operands;
  SmallVector<Type> results;
  for (Value operand : op->getOperands())
    operands.push_back(castTo(builder, loc, operand, computeTypeOf(operand.getType())));
  for (Type type : op->getResultTypes()) results.push_back(computeTypeOf(type));
  OperationState state(loc, op->getName(), operands, results, op->getAttrs());
  Operation *wide = builder.create(state);
  for (auto [old, made] : llvm::zip_equal(op->getResults(), wide->getResults()))
    old.replaceAllUsesWith(castTo(builder, loc, made, old.getType()));
  op->erase();
}

void computeInWideTypes(func::FuncOp function) {
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front()))
    if (widens(&op)) widen(&op);
}

} // namespace tensorjit
