#include "lower/ScalarFnExpansion.h"

#include "lower/ScalarBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tensorjit {

using Build = Value (ScalarBuilder::*)(Value);

static Build functionOf(Operation *op) {
  if (!isa<math::MathDialect>(op->getDialect()) || !getElementTypeOrSelf(op->getResult(0).getType()).isF32()) return {};
  return llvm::StringSwitch<Build>(op->getName().stripDialect())
#define TENSORJIT_SCALAR_FN(name) .Case(#name, &ScalarBuilder::name)
#include "lower/ScalarFnNames.inc"
#undef TENSORJIT_SCALAR_FN
      .Default(nullptr);
}

bool hasScalarFn(Operation *op) { return functionOf(op); }

Value expandScalarFn(OpBuilder &builder, Operation *op, ValueRange operands, bool hasScale) {
  Build build = functionOf(op);
  if (!build) return {};
  ScalarBuilder scalars(builder, op->getLoc(), operands[0].getType(), false, ScalarBuilder::Functions::Steps);
  scalars.setHasScale(hasScale);
  return (scalars.*build)(operands[0]);
}

} // namespace tensorjit
