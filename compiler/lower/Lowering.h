#pragma once
/// What the lowering of one op works with.
#include "kernel/NestBuilder.h"

#include <optional>
#include <string>

namespace tensorjit::lower_ops {

using namespace mlir; // NOLINT
using kernel::NestBuilder;
using Values = SmallVector<Value>;

struct Lowering {
  OpBuilder &builder;
  Operation *op;
  std::string refusal; ///< why the op stays

  Location loc() const { return op->getLoc(); }
  MLIRContext *context() const { return op->getContext(); }
  Value operand(unsigned i) const { return op->getOperand(i); }
  bool has(unsigned i) const { return i < op->getNumOperands(); }
  RankedTensorType type(unsigned i) const { return cast<RankedTensorType>(op->getOperand(i).getType()); }
  RankedTensorType resultType(unsigned i = 0) const { return cast<RankedTensorType>(op->getResult(i).getType()); }
  ArrayRef<int64_t> shape(unsigned i) const { return type(i).getShape(); }

  int64_t integer(StringRef name) const { return op->getAttrOfType<IntegerAttr>(name).getInt(); }
  bool boolean(StringRef name) const { return op->getAttrOfType<BoolAttr>(name).getValue(); }
  double number(StringRef name) const { return op->getAttrOfType<FloatAttr>(name).getValueAsDouble(); }
  ArrayRef<int64_t> integers(StringRef name) const { return op->getAttrOfType<DenseI64ArrayAttr>(name); }
  /// Size of the dim that bounds the positions which the op checks.
  int64_t indexBound() const;
  /// Index of the op's check among the executable's.
  int64_t check() const {
    auto attr = op->getAttrOfType<IntegerAttr>("tj.check");
    return attr ? attr.getInt() : 0;
  }

  NestBuilder nest() const { return {builder, loc(), op->getName().stripDialect()}; }
  AffineExpr constant(int64_t value) const { return getAffineConstantExpr(value, context()); }
  Values refuse(const Twine &why) {
    refusal = why.str();
    return {};
  }
};

/// Returns the op's results as kernel ops; none, and `refusal` set, where it cannot.
using LowerFn = Values (*)(Lowering &);

struct LowerEntry {
  StringLiteral mnemonic;
  LowerFn lower;
};

ArrayRef<LowerEntry> shapeLowerings();
ArrayRef<LowerEntry> indexLowerings();
ArrayRef<LowerEntry> reductionLowerings();
ArrayRef<LowerEntry> scanLowerings();
ArrayRef<LowerEntry> contractionLowerings();
ArrayRef<LowerEntry> convolutionLowerings();
ArrayRef<LowerEntry> windowLowerings();
ArrayRef<LowerEntry> softmaxLowerings();
ArrayRef<LowerEntry> lossLowerings();
ArrayRef<LowerEntry> castLowerings();
ArrayRef<LowerEntry> randomLowerings();

/// Every op whose record has scalar expressions; none where it has no body.
Values lowerPointwise(Lowering &l);
bool hasScalarBody(StringRef mnemonic);

/// How an operand of these sizes is read where results broadcast over `dims`: right-aligned, size 1 at 0.
SmallVector<AffineExpr> broadcastIndex(ArrayRef<AffineExpr> dims, ArrayRef<int64_t> sizes, MLIRContext *context);

} // namespace tensorjit::lower_ops
