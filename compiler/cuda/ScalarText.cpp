#include "cuda/ScalarText.h"
#include "kernel/HalfType.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tensorjit::cuda {

std::string scalarTypeText(Type type) {
  if (type.isF32()) return "float";
  if (type.isF64()) return "double";
  if (type.isF16()) return "Half";
  if (type.isBF16()) return "BFloat";
  if (type.isInteger(1)) return "bool";
  if (type.isInteger(8)) return "signed char";
  if (type.isInteger(16)) return "short";
  return type.isInteger(32) ? "int" : "long long";
}

std::string memoryTypeText(Type type) { return type.isInteger(1) ? "unsigned char" : scalarTypeText(type); }

static std::string unsignedTypeText(Type type) {
  if (type.isInteger(8)) return "unsigned char";
  if (type.isInteger(16)) return "unsigned short";
  return type.isInteger(32) ? "unsigned" : "unsigned long long";
}

static std::string hex(const APInt &bits) {
  SmallString<24> digits;
  bits.toStringUnsigned(digits, 16);
  return "0x" + digits.str().str();
}

std::string constantText(TypedAttr value) {
  Type type = value.getType();
  if (auto number = dyn_cast<FloatAttr>(value)) {
    APInt bits = number.getValue().bitcastToAPInt();
    if (kernel::isHalf(type)) return scalarTypeText(type) + "{" + hex(bits) + "}";
    std::string text = type.isF32() ? "__int_as_float(" + hex(bits) + ")" : "__longlong_as_double(" + hex(bits) + ")";
    if (!number.getValue().isFinite()) return text;
    // Hexadecimal digits name the bits exactly and still show the number.
    std::string literal;
    llvm::raw_string_ostream(literal) << llvm::format("%a", number.getValueAsDouble());
    return literal + (type.isF32() ? "f" : "");
  }
  auto integer = cast<IntegerAttr>(value).getValue();
  if (type.isInteger(1)) return integer.isZero() ? "false" : "true";
  if (type.isInteger(64)) return "(long long)" + hex(integer) + "ull";
  return "(" + scalarTypeText(type) + ")" + hex(integer);
}

std::string extremeText(Type type, bool largest) {
  if (auto floating = dyn_cast<FloatType>(type))
    return constantText(FloatAttr::get(type, APFloat::getInf(floating.getFloatSemantics(), !largest)));
  if (type.isInteger(1)) return largest ? "true" : "false";
  unsigned width = type.getIntOrFloatBitWidth();
  return constantText(
      IntegerAttr::get(type, largest ? APInt::getSignedMaxValue(width) : APInt::getSignedMinValue(width)));
}

static std::string compareFloats(arith::CmpFPredicate predicate, const std::string &a, const std::string &b) {
  using P = arith::CmpFPredicate;
  auto plain = [&](const char *symbol) { return a + " " + symbol + " " + b; };
  switch (predicate) {
  case P::OEQ: return plain("==");
  case P::OGT: return plain(">");
  case P::OGE: return plain(">=");
  case P::OLT: return plain("<");
  case P::OLE: return plain("<=");
  case P::ONE: return plain("<") + " || " + plain(">");
  case P::ORD: return a + " == " + a + " && " + b + " == " + b;
  case P::UNE: return plain("!=");
  case P::UNO: return a + " != " + a + " || " + b + " != " + b;
  case P::UEQ: return "!(" + plain("<") + " || " + plain(">") + ")";
  case P::UGT: return "!(" + plain("<=") + ")";
  case P::UGE: return "!(" + plain("<") + ")";
  case P::ULT: return "!(" + plain(">=") + ")";
  case P::ULE: return "!(" + plain(">") + ")";
  case P::AlwaysFalse: return "false";
  default: return "true";
  }
}

static std::string compareIntegers(arith::CmpIOp op, const std::string &a, const std::string &b) {
  using P = arith::CmpIPredicate;
  Type type = op.getLhs().getType();
  bool isUnsigned = op.getPredicate() >= P::ult;
  std::string cast = isUnsigned && !type.isInteger(1) ? "(" + unsignedTypeText(type) + ")" : "";
  const char *symbols[] = {"==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">="};
  std::string left = cast + a, right = cast + b;
  // As a signed number, true is -1.
  if (type.isInteger(1) && !isUnsigned && op.getPredicate() >= P::slt) std::swap(left, right);
  return left + " " + symbols[static_cast<int>(op.getPredicate())] + " " + right;
}

/// Integer arithmetic wraps, which C++ promises for unsigned types only.
static std::string wrapping(Type type, const std::string &a, const char *symbol, const std::string &b) {
  if (type.isInteger(1)) return "(bool)((int)" + a + " " + symbol + " (int)" + b + " & 1)";
  std::string u = "(" + unsignedTypeText(type) + ")";
  return "(" + scalarTypeText(type) + ")(" + u + a + " " + symbol + " " + u + b + ")";
}

static std::string bitcast(Type from, Type to, const std::string &a) {
  if (from.isF32() && to.isInteger(32)) return "__float_as_int(" + a + ")";
  if (from.isInteger(32) && to.isF32()) return "__int_as_float(" + a + ")";
  if (from.isF64() && to.isInteger(64)) return "__double_as_longlong(" + a + ")";
  if (from.isInteger(64) && to.isF64()) return "__longlong_as_double(" + a + ")";
  return a;
}

/// An integer of `from` as an unsigned number.
static std::string asUnsigned(Type from, const std::string &a) {
  return from.isInteger(1) ? "(unsigned)" + a : "(" + unsignedTypeText(from) + ")" + a;
}

static std::string asSigned(Type from, const std::string &a) { return from.isInteger(1) ? "-(int)" + a : a; }

static std::optional<std::string> arithText(Operation *op, ArrayRef<std::string> in) {
  using Text = std::optional<std::string>;
  Type type = op->getResult(0).getType();
  Type from = op->getNumOperands() ? op->getOperand(0).getType() : Type();
  std::string to = "(" + scalarTypeText(type) + ")";
  auto binary = [&](const char *symbol) { return in[0] + " " + symbol + " " + in[1]; };
  auto call = [&](const char *name) { return std::string(name) + "(" + in[0] + ", " + in[1] + ")"; };
  return llvm::TypeSwitch<Operation *, Text>(op)
      .Case([&](arith::ConstantOp c) { return constantText(cast<TypedAttr>(c.getValue())); })
      .Case([&](arith::AddFOp) { return binary("+"); })
      .Case([&](arith::SubFOp) { return binary("-"); })
      .Case([&](arith::MulFOp) { return binary("*"); })
      .Case([&](arith::DivFOp) { return binary("/"); })
      .Case([&](arith::RemFOp) { return call(type.isF32() ? "fmodf" : "fmod"); })
      .Case([&](arith::NegFOp) { return "-" + in[0]; })
      .Case([&](arith::MaximumFOp) { return call("maximum"); })
      .Case([&](arith::MinimumFOp) { return call("minimum"); })
      .Case([&](arith::MaxNumFOp) { return call(type.isF32() ? "fmaxf" : "fmax"); })
      .Case([&](arith::MinNumFOp) { return call(type.isF32() ? "fminf" : "fmin"); })
      .Case([&](arith::CmpFOp c) { return compareFloats(c.getPredicate(), in[0], in[1]); })
      .Case([&](arith::AddIOp) { return wrapping(type, in[0], "+", in[1]); })
      .Case([&](arith::SubIOp) { return wrapping(type, in[0], "-", in[1]); })
      .Case([&](arith::MulIOp) { return wrapping(type, in[0], "*", in[1]); })
      .Case([&](arith::DivSIOp) { return to + "(" + binary("/") + ")"; })
      .Case([&](arith::FloorDivSIOp) { return call("floorDiv"); })
      .Case([&](arith::CeilDivSIOp) { return "-floorDiv(-" + in[0] + ", " + in[1] + ")"; })
      .Case([&](arith::RemSIOp) { return to + "(" + binary("%") + ")"; })
      .Case([&](arith::DivUIOp) { return to + "(" + asUnsigned(from, in[0]) + " / " + asUnsigned(from, in[1]) + ")"; })
      .Case([&](arith::RemUIOp) { return to + "(" + asUnsigned(from, in[0]) + " % " + asUnsigned(from, in[1]) + ")"; })
      .Case([&](arith::AndIOp) { return to + "(" + binary("&") + ")"; })
      .Case([&](arith::OrIOp) { return to + "(" + binary("|") + ")"; })
      .Case([&](arith::XOrIOp) { return to + "(" + binary("^") + ")"; })
      .Case([&](arith::ShLIOp) { return to + "(" + asUnsigned(from, in[0]) + " << " + in[1] + ")"; })
      .Case([&](arith::ShRSIOp) { return to + "(" + binary(">>") + ")"; })
      .Case([&](arith::ShRUIOp) { return to + "(" + asUnsigned(from, in[0]) + " >> " + in[1] + ")"; })
      .Case([&](arith::MaxSIOp) { return in[0] + " > " + in[1] + " ? " + in[0] + " : " + in[1]; })
      .Case([&](arith::MinSIOp) { return in[0] + " < " + in[1] + " ? " + in[0] + " : " + in[1]; })
      .Case([&](arith::MaxUIOp) {
        return asUnsigned(from, in[0]) + " > " + asUnsigned(from, in[1]) + " ? " + in[0] + " : " + in[1];
      })
      .Case([&](arith::MinUIOp) {
        return asUnsigned(from, in[0]) + " < " + asUnsigned(from, in[1]) + " ? " + in[0] + " : " + in[1];
      })
      .Case([&](arith::CmpIOp c) { return compareIntegers(c, in[0], in[1]); })
      .Case([&](arith::SelectOp) { return in[0] + " ? " + in[1] + " : " + in[2]; })
      .Case([&](arith::ExtSIOp) { return to + asSigned(from, "(" + in[0] + ")"); })
      .Case([&](arith::SIToFPOp) { return to + asSigned(from, "(" + in[0] + ")"); })
      .Case([&](arith::ExtUIOp) { return to + asUnsigned(from, in[0]); })
      .Case([&](arith::UIToFPOp) { return to + asUnsigned(from, in[0]); })
      .Case([&](arith::TruncIOp) { return type.isInteger(1) ? "(" + in[0] + " & 1) != 0" : to + in[0]; })
      .Case([&](arith::FPToSIOp) { return to + in[0]; })
      .Case([&](arith::FPToUIOp) { return to + "(" + unsignedTypeText(type) + ")" + in[0]; })
      .Case<arith::ExtFOp, arith::TruncFOp>([&](Operation *) {
        if (kernel::isHalf(from)) return "widened(" + in[0] + ")";
        if (kernel::isHalf(type)) return scalarTypeText(type) + "::rounded(" + in[0] + ")";
        return to + in[0];
      })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp>([&](Operation *) { return to + in[0]; })
      .Case([&](arith::BitcastOp) { return bitcast(from, type, in[0]); })
      .Default([](Operation *) { return Text(); });
}

/// Functions that CUDA rounds as this project's contract says: exactly, or for f64 by CUDA's own library. The f32
/// transcendentals are expanded into arithmetic before a kernel is printed.
static std::string mathName(Operation *op, bool single) {
  StringRef name = op->getName().stripDialect();
  std::string exact = llvm::StringSwitch<std::string>(name)
                          .Case("absf", "fabs")
                          .Case("roundeven", "rint")
                          .Cases({"floor", "ceil", "trunc", "sqrt", "fma", "copysign"}, name.str())
                          .Default("");
  if (!exact.empty()) return single ? exact + "f" : exact;
  if (single) return "";
  return llvm::StringSwitch<std::string>(name)
      .Case("powf", "pow")
      .Cases({"exp", "exp2", "expm1", "log", "log2", "log10", "log1p"}, name.str())
      .Cases({"sin", "cos", "tan", "asin", "acos", "atan", "atan2"}, name.str())
      .Cases({"sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc"}, name.str())
      .Default("");
}

static std::optional<std::string> mathText(Operation *op, ArrayRef<std::string> in) {
  Type type = op->getResult(0).getType();
  if (isa<math::AbsIOp>(op)) return in[0] + " < 0 ? " + wrapping(type, "0", "-", in[0]) + " : " + in[0];
  if (isa<math::RsqrtOp>(op)) return type.isF32() ? "1.0f / sqrtf(" + in[0] + ")" : "1.0 / sqrt(" + in[0] + ")";
  std::string name = isa<FloatType>(type) ? mathName(op, type.isF32()) : "";
  if (name.empty()) return std::nullopt;
  return name + "(" + llvm::join(in, ", ") + ")";
}

std::optional<std::string> expressionText(Operation *op, ArrayRef<std::string> operands) {
  if (isa<arith::ArithDialect>(op->getDialect())) return arithText(op, operands);
  if (isa<math::MathDialect>(op->getDialect())) return mathText(op, operands);
  return std::nullopt;
}

} // namespace tensorjit::cuda
