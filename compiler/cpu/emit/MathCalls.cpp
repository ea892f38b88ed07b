#include "cpu/emit/MathCalls.h"

#include "lower/ScalarFnExpansion.h"
#include "nest/Body.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tensorjit::cpu {

// The f64 function; f32's has an `f` behind it.
static StringRef libmName(Operation *op) {
  return llvm::StringSwitch<StringRef>(op->getName().stripDialect())
      .Case("powf", "pow")
      .Cases({"exp", "exp2", "expm1", "log", "log2", "log10", "log1p"}, op->getName().stripDialect())
      .Cases({"sin", "cos", "tan", "asin", "acos", "atan", "atan2"}, op->getName().stripDialect())
      .Cases({"sinh", "cosh", "tanh", "asinh", "acosh", "atanh"}, op->getName().stripDialect())
      .Cases({"erf", "erfc", "cbrt"}, op->getName().stripDialect())
      .Default("");
}

static bool isInstruction(Operation *op) { return !nest::isExpensive(op); }

bool canEmitMath(Operation *op) { return isInstruction(op) || isa<math::RsqrtOp>(op) || !libmName(op).empty(); }

static func::FuncOp declare(Emission &emission, StringRef name, ArrayRef<Type> operands, Type result) {
  if (auto known = emission.module.lookupSymbol<func::FuncOp>(name)) return known;
  OpBuilder b(emission.module.getBodyRegion());
  b.setInsertionPointToStart(emission.module.getBody());
  auto function = func::FuncOp::create(b, emission.b.loc, name, b.getFunctionType(operands, result));
  function.setPrivate();
  return function;
}

static Value callLanes(Emission &emission, func::FuncOp callee, ValueRange operands) {
  OpBuilder &b = emission.b.b;
  Location loc = emission.b.loc;
  auto vector = dyn_cast<VectorType>(operands[0].getType());
  if (!vector) return func::CallOp::create(b, loc, callee, operands).getResult(0);
  Value result = emission.b.number(vector, 0);
  for (int64_t lane = 0; lane < vector.getNumElements(); ++lane) {
    Values scalars;
    for (Value operand : operands) scalars.push_back(vector::ExtractOp::create(b, loc, operand, lane));
    Value value = func::CallOp::create(b, loc, callee, scalars).getResult(0);
    result = vector::InsertOp::create(b, loc, value, result, lane);
  }
  return result;
}

static Value callLibm(Emission &emission, Operation *op, ValueRange operands) {
  Type element = op->getResult(0).getType();
  std::string name = libmName(op).str() + (element.isF32() ? "f" : "");
  SmallVector<Type> types(operands.size(), element);
  emission.callsLibm = true;
  return callLanes(emission, declare(emission, name, types, element), operands);
}

Value emitMath(Emission &emission, Operation *op, ValueRange operands) {
  if (!isa<math::MathDialect>(op->getDialect()) || isInstruction(op)) return {};
  if (isa<math::RsqrtOp>(op)) {
    Value root = math::SqrtOp::create(emission.b.b, emission.b.loc, operands[0]);
    return arith::DivFOp::create(emission.b.b, emission.b.loc, emission.b.number(root.getType(), 1), root);
  }
  const bool hasScale = emission.target.vectorBytes == 64; // AVX-512
  if (Value expanded = expandScalarFn(emission.b.b, op, operands, hasScale)) return expanded;
  return callLibm(emission, op, operands);
}

} // namespace tensorjit::cpu
