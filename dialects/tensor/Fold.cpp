// Folders of pointwise ops.
#include "op/CreationIds.h"
#include "op/PointwiseIds.h"
#include "tensor/Folding.h"
#include "tensor/OpBridge.h"
#include "tensor/RecordOp.h"

#include "mlir/IR/PatternMatch.h"

#include <cmath>

using namespace mlir;

namespace tensorjit::tj {

/// Operand `i` where it may stand for the whole result: the other operand has not broadcast it.
static OpFoldResult ifSameType(Operation *op, unsigned i) {
  Value x = op->getOperand(i);
  return x.getType() == op->getResult(0).getType() ? x : Value();
}

static OpFoldResult foldNeg(Operation *op) {
  if (Operation *inner = producedBy(op->getOperand(0), opid::Neg)) return inner->getOperand(0);
  return {};
}

static OpFoldResult foldAdd(Operation *op) {
  if (auto b = splatNumber(op->getOperand(1)); b && b->isZero(true)) return ifSameType(op, 0);
  if (auto a = splatNumber(op->getOperand(0)); a && a->isZero(true)) return ifSameType(op, 1);
  return {};
}

static OpFoldResult foldSub(Operation *op) {
  if (auto b = splatNumber(op->getOperand(1)); b && b->isZero(false)) return ifSameType(op, 0);
  return {};
}

static OpFoldResult foldMul(Operation *op) {
  if (auto b = splatNumber(op->getOperand(1)); b && b->isOne()) return ifSameType(op, 0);
  if (auto a = splatNumber(op->getOperand(0)); a && a->isOne()) return ifSameType(op, 1);
  return {};
}

static OpFoldResult foldDiv(Operation *op) {
  if (auto b = splatNumber(op->getOperand(1)); b && b->isOne()) return ifSameType(op, 0);
  return {};
}

static OpFoldResult foldCast(Operation *op) { return ifSameType(op, 0); }

static Value createFull(OpBuilder &builder, Location loc, RankedTensorType type, const SplatNumber &number) {
  Attrs attrs;
  attrs.addInts(type.getShape());
  if (isFloat(number.dtype)) attrs.addScalar(Scalar(number.number));
  else if (number.dtype == DType::Bool) attrs.addScalar(Scalar(number.integer != 0));
  else attrs.addScalar(Scalar(static_cast<long long>(number.integer)));
  attrs.addDType(number.dtype);
  return createOp(builder, loc, opid::Full, {}, attrs, type)->getResult(0);
}

namespace {

/// A pattern on one op of the dialect.
struct RecordPattern : RewritePattern {
  RecordPattern(OpId op, MLIRContext *context) : RewritePattern(qualifiedName(op), 1, context) {}
};

/// cast(full(v)) -> full(v'), so that a number meets tensors of any dtype without a kernel of its own.
struct CastOfNumber : RecordPattern {
  CastOfNumber(MLIRContext *context) : RecordPattern(opid::Cast, context) {}
  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    auto number = splatNumber(op->getOperand(0));
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    if (!number) return rewriter.notifyMatchFailure(op, "the operand is not one number");
    if (!type.hasStaticShape()) return rewriter.notifyMatchFailure(op, "dynamic sizes");
    rewriter.replaceOp(op,
                       createFull(rewriter, op->getLoc(), type, castNumber(*number, *dtypeOf(type.getElementType()))));
    return success();
  }
};

/// x / 2^k -> x * 2^-k where 2^-k is normal: the same bits, and a product is cheaper.
struct DivideByPowerOfTwo : RecordPattern {
  DivideByPowerOfTwo(MLIRContext *context) : RecordPattern(opid::Div, context) {}
  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    Value a = op->getOperand(0), b = op->getOperand(1);
    auto number = splatNumber(b);
    if (!number) return rewriter.notifyMatchFailure(op, "the divisor is not one number");
    int exponent;
    if (std::fabs(std::frexp(number->number, &exponent)) != 0.5)
      return rewriter.notifyMatchFailure(op, "the divisor is not a power of two");
    const double inverse = 1 / number->number;
    const double least = number->dtype == DType::F32 ? 0x1p-126 : 0x1p-1022;
    const double most = number->dtype == DType::F32 ? 0x1p127 : 0x1p1023;
    if (!(std::fabs(inverse) >= least && std::fabs(inverse) <= most))
      return rewriter.notifyMatchFailure(op, "the reciprocal is not normal");
    auto bType = cast<RankedTensorType>(b.getType());
    if (bType.getRank() > cast<RankedTensorType>(a.getType()).getRank() || bType.getNumElements() != 1)
      return rewriter.notifyMatchFailure(op, "the divisor broadcasts the dividend");
    Value factor = createFull(rewriter, op->getLoc(), RankedTensorType::get({}, bType.getElementType()),
                              {number->dtype, inverse, 0});
    Operation *product = createOp(rewriter, op->getLoc(), opid::Mul, {a, factor}, {}, op->getResultTypes());
    rewriter.replaceOp(op, product);
    return success();
  }
};

template <class Pattern> void add(RewritePatternSet &patterns) { patterns.add<Pattern>(patterns.getContext()); }

} // namespace

ArrayRef<Rewrites> pointwiseRewrites() {
  static constexpr Rewrites table[] = {{opid::Neg, foldNeg},
                                       {opid::Add, foldAdd},
                                       {opid::Sub, foldSub},
                                       {opid::Mul, foldMul},
                                       {opid::Div, foldDiv, add<DivideByPowerOfTwo>},
                                       {opid::Cast, foldCast, add<CastOfNumber>}};
  return table;
}

} // namespace tensorjit::tj
