#include "lower/ScalarBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tensorjit {

// The steps of each function, from dialects/tensor/ScalarFns.td.
namespace steps {
#include "lower/ScalarFns.inc"
} // namespace steps

static bool isBool(Value x) { return getElementTypeOrSelf(x.getType()).isInteger(1); }
static bool isFloat(Value x) { return isa<FloatType>(getElementTypeOrSelf(x.getType())); }

Type ScalarBuilder::like(Type element) const {
  auto vector = dyn_cast<VectorType>(type_);
  return vector ? Type(vector.clone(element)) : element;
}

Value ScalarBuilder::constant(TypedAttr value) {
  if (auto vector = dyn_cast<VectorType>(like(value.getType())))
    value = DenseElementsAttr::get(vector, Attribute(value));
  return arith::ConstantOp::create(b_, loc_, value);
}

Value ScalarBuilder::number(StringRef text) {
  Type element = getElementTypeOrSelf(type_);
  if (auto real = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &semantics = real.getFloatSemantics();
    if (text == "inf" || text == "-inf")
      return constant(b_.getFloatAttr(real, APFloat::getInf(semantics, text[0] == '-')));
    if (text == "nan") return constant(b_.getFloatAttr(real, APFloat::getNaN(semantics)));
    // Rounded to f64 first, as a C++ literal is.
    APFloat value(APFloat::IEEEdouble(), text);
    bool exact;
    value.convert(semantics, APFloat::rmNearestTiesToEven, &exact);
    return constant(b_.getFloatAttr(real, value));
  }
  int64_t value = static_cast<int64_t>(APFloat(APFloat::IEEEdouble(), text).convertToDouble());
  return constant(b_.getIntegerAttr(element, element.isInteger(1) ? value != 0 : value));
}

Value ScalarBuilder::integer(int32_t value) { return constant(b_.getI32IntegerAttr(value)); }

Value ScalarBuilder::add(Value a, Value b) {
  if (isFloat(a)) return arith::AddFOp::create(b_, loc_, a, b);
  if (isBool(a)) return arith::OrIOp::create(b_, loc_, a, b);
  return arith::AddIOp::create(b_, loc_, a, b);
}
Value ScalarBuilder::sub(Value a, Value b) {
  if (isFloat(a)) return arith::SubFOp::create(b_, loc_, a, b);
  return arith::SubIOp::create(b_, loc_, a, b);
}
Value ScalarBuilder::mul(Value a, Value b) {
  if (isFloat(a)) return arith::MulFOp::create(b_, loc_, a, b);
  if (isBool(a)) return arith::AndIOp::create(b_, loc_, a, b);
  return arith::MulIOp::create(b_, loc_, a, b);
}
Value ScalarBuilder::div(Value a, Value b) { return arith::DivFOp::create(b_, loc_, a, b); }
Value ScalarBuilder::maximum(Value a, Value b) {
  if (isFloat(a)) return arith::MaximumFOp::create(b_, loc_, a, b);
  if (isUnsigned_ || isBool(a)) return arith::MaxUIOp::create(b_, loc_, a, b);
  return arith::MaxSIOp::create(b_, loc_, a, b);
}
Value ScalarBuilder::minimum(Value a, Value b) {
  if (isFloat(a)) return arith::MinimumFOp::create(b_, loc_, a, b);
  if (isUnsigned_ || isBool(a)) return arith::MinUIOp::create(b_, loc_, a, b);
  return arith::MinSIOp::create(b_, loc_, a, b);
}
Value ScalarBuilder::copysign(Value a, Value b) { return math::CopySignOp::create(b_, loc_, a, b); }
Value ScalarBuilder::fma(Value a, Value b, Value c) { return math::FmaOp::create(b_, loc_, a, b, c); }

Value ScalarBuilder::neg(Value x) {
  if (isFloat(x)) return arith::NegFOp::create(b_, loc_, x);
  return sub(number("0"), x);
}
Value ScalarBuilder::abs(Value x) {
  if (isFloat(x)) return math::AbsFOp::create(b_, loc_, x);
  if (isUnsigned_ || isBool(x)) return x;
  return select(lt(x, number("0")), neg(x), x);
}
Value ScalarBuilder::sign(Value x) {
  if (isBool(x)) return x;
  Value zero = number("0"), one = number("1");
  if (isUnsigned_) return select(eq(x, zero), zero, one);
  Value below = select(lt(x, zero), number("-1"), isFloat(x) ? x : zero);
  return select(gt(x, zero), one, below);
}
Value ScalarBuilder::sqrt(Value x) { return math::SqrtOp::create(b_, loc_, x); }
Value ScalarBuilder::floor(Value x) { return isFloat(x) ? Value(math::FloorOp::create(b_, loc_, x)) : x; }
Value ScalarBuilder::ceil(Value x) { return isFloat(x) ? Value(math::CeilOp::create(b_, loc_, x)) : x; }
Value ScalarBuilder::trunc(Value x) { return isFloat(x) ? Value(math::TruncOp::create(b_, loc_, x)) : x; }
Value ScalarBuilder::round(Value x) { return isFloat(x) ? Value(math::RoundEvenOp::create(b_, loc_, x)) : x; }

Value ScalarBuilder::isBelowZero(Value x) { return lt(x, number("0")); }

Value ScalarBuilder::fmod(Value a, Value b) {
  if (isFloat(a)) return arith::RemFOp::create(b_, loc_, a, b);
  if (isUnsigned_) {
    Value isZero = eq(b, number("0"));
    return select(isZero, a, arith::RemUIOp::create(b_, loc_, a, select(isZero, number("1"), b)));
  }
  // Neither by 0 nor by -1, whose quotient may overflow.
  Value isZero = eq(b, number("0")), unsafe = logical_or(isZero, eq(b, number("-1")));
  return select(isZero, a, arith::RemSIOp::create(b_, loc_, a, select(unsafe, number("1"), b)));
}

Value ScalarBuilder::floor_divide(Value a, Value b) {
  Value zero = number("0"), one = number("1");
  if (isFloat(a)) {
    Value m = fmod(a, b), q0 = div(sub(a, m), b);
    Value corrects = logical_and(ne(m, zero), logical_xor(isBelowZero(b), isBelowZero(m)));
    Value q = select(corrects, sub(q0, one), q0), f = floor(q);
    Value rounded = select(gt(sub(q, f), number("0.5")), add(f, one), f);
    Value r = select(eq(q, zero), copysign(zero, div(a, b)), rounded);
    return select(eq(b, zero), div(a, b), r);
  }
  Value isZero = eq(b, zero);
  if (isUnsigned_) return select(isZero, zero, arith::DivUIOp::create(b_, loc_, a, select(isZero, one, b)));
  Value isMinusOne = eq(b, number("-1")), safe = select(logical_or(isZero, isMinusOne), one, b);
  Value q = arith::DivSIOp::create(b_, loc_, a, safe), m = arith::RemSIOp::create(b_, loc_, a, safe);
  Value corrects = logical_and(ne(m, zero), logical_xor(isBelowZero(a), isBelowZero(b)));
  return select(isZero, zero, select(isMinusOne, neg(a), select(corrects, sub(q, one), q)));
}

Value ScalarBuilder::bitAnd(Value a, Value b) { return arith::AndIOp::create(b_, loc_, a, b); }
Value ScalarBuilder::bitOr(Value a, Value b) { return arith::OrIOp::create(b_, loc_, a, b); }
Value ScalarBuilder::bitXor(Value a, Value b) { return arith::XOrIOp::create(b_, loc_, a, b); }
Value ScalarBuilder::bitNot(Value a) { return isBool(a) ? logical_not(a) : bitXor(a, number("-1")); }

std::pair<Value, Value> ScalarBuilder::shiftAmount(Value b) {
  Value width = number(std::to_string(getElementTypeOrSelf(b.getType()).getIntOrFloatBitWidth())), zero = number("0");
  Value inside = isUnsigned_ ? lt(b, width) : logical_and(le(zero, b), lt(b, width));
  return {select(inside, b, zero), inside};
}
Value ScalarBuilder::shiftLeft(Value a, Value b) {
  auto [amount, inside] = shiftAmount(b);
  return select(inside, arith::ShLIOp::create(b_, loc_, a, amount), number("0"));
}
Value ScalarBuilder::shiftRight(Value a, Value b) {
  auto [amount, inside] = shiftAmount(b);
  if (isUnsigned_) return select(inside, arith::ShRUIOp::create(b_, loc_, a, amount), number("0"));
  return select(inside, arith::ShRSIOp::create(b_, loc_, a, amount), select(isBelowZero(a), number("-1"), number("0")));
}

// Of integers: no code for it, so the op is a call of its eager kernel.
Value ScalarBuilder::pow(Value a, Value b) { return mathOp(isFloat(a) ? "powf" : "ipowi", {a, b}); }
Value ScalarBuilder::atan2(Value a, Value b) { return mathOp("atan2", {a, b}); }

#define TENSORJIT_LIBRARY(name)                                                                                        \
  Value ScalarBuilder::name(Value x) { return mathOp(#name, x); }
TENSORJIT_LIBRARY(log2)
TENSORJIT_LIBRARY(log10)
TENSORJIT_LIBRARY(sin)
TENSORJIT_LIBRARY(cos)
TENSORJIT_LIBRARY(tan)
TENSORJIT_LIBRARY(asin)
TENSORJIT_LIBRARY(acos)
TENSORJIT_LIBRARY(atan)
TENSORJIT_LIBRARY(sinh)
TENSORJIT_LIBRARY(cosh)
TENSORJIT_LIBRARY(asinh)
TENSORJIT_LIBRARY(acosh)
TENSORJIT_LIBRARY(atanh)
#undef TENSORJIT_LIBRARY

Value ScalarBuilder::eq(Value a, Value b) {
  if (isFloat(a)) return arith::CmpFOp::create(b_, loc_, arith::CmpFPredicate::OEQ, a, b);
  return arith::CmpIOp::create(b_, loc_, arith::CmpIPredicate::eq, a, b);
}
Value ScalarBuilder::ne(Value a, Value b) {
  if (isFloat(a)) return arith::CmpFOp::create(b_, loc_, arith::CmpFPredicate::UNE, a, b);
  return arith::CmpIOp::create(b_, loc_, arith::CmpIPredicate::ne, a, b);
}
Value ScalarBuilder::lt(Value a, Value b) {
  if (isFloat(a)) return arith::CmpFOp::create(b_, loc_, arith::CmpFPredicate::OLT, a, b);
  bool plain = !isUnsigned_ && !isBool(a);
  return arith::CmpIOp::create(b_, loc_, plain ? arith::CmpIPredicate::slt : arith::CmpIPredicate::ult, a, b);
}
Value ScalarBuilder::le(Value a, Value b) {
  if (isFloat(a)) return arith::CmpFOp::create(b_, loc_, arith::CmpFPredicate::OLE, a, b);
  bool plain = !isUnsigned_ && !isBool(a);
  return arith::CmpIOp::create(b_, loc_, plain ? arith::CmpIPredicate::sle : arith::CmpIPredicate::ule, a, b);
}
Value ScalarBuilder::logical_and(Value a, Value b) { return arith::AndIOp::create(b_, loc_, a, b); }
Value ScalarBuilder::logical_or(Value a, Value b) { return arith::OrIOp::create(b_, loc_, a, b); }
Value ScalarBuilder::logical_xor(Value a, Value b) { return arith::XOrIOp::create(b_, loc_, a, b); }
Value ScalarBuilder::logical_not(Value a) { return arith::XOrIOp::create(b_, loc_, a, constant(b_.getBoolAttr(true))); }
Value ScalarBuilder::select(Value condition, Value a, Value b) {
  return arith::SelectOp::create(b_, loc_, condition, a, b);
}

Value ScalarBuilder::bitsOf(Value x) { return arith::BitcastOp::create(b_, loc_, like(b_.getI32Type()), x); }
Value ScalarBuilder::floatOf(Value x) { return arith::BitcastOp::create(b_, loc_, like(b_.getF32Type()), x); }
Value ScalarBuilder::toInt(Value x) { return arith::FPToSIOp::create(b_, loc_, like(b_.getI32Type()), x); }
Value ScalarBuilder::toFloat(Value x) { return arith::SIToFPOp::create(b_, loc_, like(b_.getF32Type()), x); }
Value ScalarBuilder::addInt(Value a, Value b) { return arith::AddIOp::create(b_, loc_, a, b); }
Value ScalarBuilder::subInt(Value a, Value b) { return arith::SubIOp::create(b_, loc_, a, b); }
Value ScalarBuilder::andInt(Value a, Value b) { return arith::AndIOp::create(b_, loc_, a, b); }
Value ScalarBuilder::orInt(Value a, Value b) { return arith::OrIOp::create(b_, loc_, a, b); }
Value ScalarBuilder::xorInt(Value a, Value b) { return arith::XOrIOp::create(b_, loc_, a, b); }
Value ScalarBuilder::shlInt(Value a, Value b) { return arith::ShLIOp::create(b_, loc_, a, b); }
Value ScalarBuilder::sarInt(Value a, Value b) { return arith::ShRSIOp::create(b_, loc_, a, b); }
Value ScalarBuilder::ltInt(Value a, Value b) {
  return arith::CmpIOp::create(b_, loc_, arith::CmpIPredicate::slt, a, b);
}
Value ScalarBuilder::eqInt(Value a, Value b) { return arith::CmpIOp::create(b_, loc_, arith::CmpIPredicate::eq, a, b); }

Value ScalarBuilder::scale(Value x, Value n) {
  auto vector = dyn_cast<VectorType>(x.getType());
  if (hasScale_ && (!vector || vector.getRank() == 1))
    return LLVM::CallIntrinsicOp::create(b_, loc_, x.getType(), b_.getStringAttr("llvm.ldexp"), ValueRange{x, n})
        .getResult(0);
  // The first factor is exact, since its result lies far from both limits.
  Value half = sarInt(n, integer(1)), bias = integer(127), mantissa = integer(23);
  Value first = floatOf(shlInt(addInt(half, bias), mantissa));
  Value second = floatOf(shlInt(addInt(subInt(n, half), bias), mantissa));
  return mul(mul(x, first), second);
}

bool ScalarBuilder::expands() const { return functions_ == Functions::Steps && getElementTypeOrSelf(type_).isF32(); }

Value ScalarBuilder::mathOp(StringRef name, ValueRange operands) {
  OperationState state(loc_, ("math." + name).str());
  state.addOperands(operands);
  state.addTypes(operands[0].getType());
  return b_.create(state)->getResult(0);
}

Value ScalarBuilder::noCode(StringRef name, Value x) {
  lacks_ = name.str();
  return x;
}

// Functions that the math dialect does not have are steps from the start, of f32 alone.
#define TENSORJIT_SCALAR_FN(name)                                                                                      \
  Value ScalarBuilder::name(Value x) {                                                                                 \
    const bool isMathOp = b_.getContext()->isOperationRegistered("math." #name);                                       \
    if (expands() || (!isMathOp && getElementTypeOrSelf(type_).isF32())) return steps::name##F32(*this, x);            \
    return isMathOp ? mathOp(#name, x) : noCode(#name, x);                                                             \
  }
#include "lower/ScalarFnNames.inc"
#undef TENSORJIT_SCALAR_FN

} // namespace tensorjit
