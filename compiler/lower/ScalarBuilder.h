#pragma once
/// The words that op records and scalar functions are written in, for MLIR; their C++ twin is
/// runtime/eager/ScalarAtoms.h. Values are scalars in the body of a nest or vectors in generated code.
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

#include <string>

namespace tensorjit {

using mlir::Value;

class ScalarBuilder {
public:
  /// How `exp` and its like are built: as `math` ops, or, for f32, as the steps of their records. What generates code
  /// expands them, so that bodies stay small until then.
  enum class Functions { Ops, Steps };

  /// `type` is what `number` makes and arithmetic works on; `isUnsigned` orders its integers.
  ScalarBuilder(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type, bool isUnsigned = false,
                Functions functions = Functions::Ops)
      : b_(builder), loc_(loc), type_(type), isUnsigned_(isUnsigned), functions_(functions) {}

  Value number(llvm::StringRef text);
  Value integer(int32_t value);

  Value add(Value a, Value b), sub(Value a, Value b), mul(Value a, Value b), div(Value a, Value b);
  Value maximum(Value a, Value b), minimum(Value a, Value b), copysign(Value a, Value b);
  Value fma(Value a, Value b, Value c);
  /// Of integers: by 0 they stay, as floor_divide gives 0.
  Value fmod(Value a, Value b), floor_divide(Value a, Value b);
  Value bitAnd(Value a, Value b), bitOr(Value a, Value b), bitXor(Value a, Value b), bitNot(Value a);
  Value shiftLeft(Value a, Value b), shiftRight(Value a, Value b);
  Value pow(Value a, Value b), atan2(Value a, Value b);
  Value log2(Value x), log10(Value x), sin(Value x), cos(Value x), tan(Value x), asin(Value x), acos(Value x);
  Value atan(Value x), sinh(Value x), cosh(Value x), asinh(Value x), acosh(Value x), atanh(Value x);
  Value neg(Value x), abs(Value x), sign(Value x), sqrt(Value x);
  Value floor(Value x), ceil(Value x), trunc(Value x), round(Value x);

  Value eq(Value a, Value b), ne(Value a, Value b), lt(Value a, Value b), le(Value a, Value b);
  Value gt(Value a, Value b) { return lt(b, a); }
  Value ge(Value a, Value b) { return le(b, a); }
  Value logical_and(Value a, Value b), logical_or(Value a, Value b), logical_xor(Value a, Value b);
  Value logical_not(Value a);
  Value select(Value condition, Value a, Value b);

  // exp, log ...: every function that has steps.
#define TENSORJIT_SCALAR_FN(name) Value name(Value x);
#include "lower/ScalarFnNames.inc"
#undef TENSORJIT_SCALAR_FN

  // On 32-bit integers and the bits of f32.
  Value bitsOf(Value x), floatOf(Value x), toInt(Value x), toFloat(Value x);
  Value addInt(Value a, Value b), subInt(Value a, Value b), andInt(Value a, Value b), orInt(Value a, Value b);
  Value xorInt(Value a, Value b), shlInt(Value a, Value b), sarInt(Value a, Value b);
  Value ltInt(Value a, Value b), eqInt(Value a, Value b);
  /// x * 2^n with one rounding, for |n| below 252.
  Value scale(Value x, Value n);

  /// A function for which there is no code on this type; empty where there is for all. Its value is then of no use.
  const std::string &lacks() const { return lacks_; }

  /// Lets `scale` be one instruction where the target has it (AVX-512).
  void setHasScale(bool has) { hasScale_ = has; }

private:
  mlir::Type like(mlir::Type element) const;
  Value constant(mlir::TypedAttr value);
  bool expands() const;
  Value mathOp(llvm::StringRef name, mlir::ValueRange operands);
  Value noCode(llvm::StringRef name, Value x);
  Value isBelowZero(Value x);
  /// The amount where it lies inside the width, else 0, and whether it does.
  std::pair<Value, Value> shiftAmount(Value b);

  mlir::OpBuilder &b_;
  mlir::Location loc_;
  mlir::Type type_;
  bool isUnsigned_;
  Functions functions_;
  bool hasScale_ = false;
  std::string lacks_;
};

} // namespace tensorjit
