// Folders of pointwise ops.
#include "tensor/CreationOps.h"
#include "tensor/Folding.h"
#include "tensor/OpBridge.h"
#include "tensor/PointwiseOps.h"

#include "mlir/IR/PatternMatch.h"

#include <cmath>

using namespace mlir;

namespace tensorjit::tj {

/// `x` where it may stand for the whole result: the other operand has not broadcast it.
static Value ifSameType(Value x, Value result) { return x.getType() == result.getType() ? x : Value(); }

OpFoldResult NegOp::fold(FoldAdaptor) {
  if (auto inner = getX().getDefiningOp<NegOp>()) return inner.getX();
  return {};
}

OpFoldResult AddOp::fold(FoldAdaptor) {
  if (auto b = splatNumber(getB()); b && b->isZero(true)) return ifSameType(getA(), getResult());
  if (auto a = splatNumber(getA()); a && a->isZero(true)) return ifSameType(getB(), getResult());
  return {};
}

OpFoldResult SubOp::fold(FoldAdaptor) {
  if (auto b = splatNumber(getB()); b && b->isZero(false)) return ifSameType(getA(), getResult());
  return {};
}

OpFoldResult MulOp::fold(FoldAdaptor) {
  if (auto b = splatNumber(getB()); b && b->isOne()) return ifSameType(getA(), getResult());
  if (auto a = splatNumber(getA()); a && a->isOne()) return ifSameType(getB(), getResult());
  return {};
}

OpFoldResult DivOp::fold(FoldAdaptor) {
  if (auto b = splatNumber(getB()); b && b->isOne()) return ifSameType(getA(), getResult());
  return {};
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  if (getX().getType() == getResult().getType()) return getX();
  return {};
}

static Value createFull(OpBuilder &builder, Location loc, RankedTensorType type, const SplatNumber &number) {
  Attribute value = isFloat(number.dtype)         ? Attribute(builder.getF64FloatAttr(number.number))
                    : number.dtype == DType::Bool ? Attribute(builder.getBoolAttr(number.integer != 0))
                                                  : Attribute(builder.getI64IntegerAttr(number.integer));
  return FullOp::create(builder, loc, type, builder.getDenseI64ArrayAttr(type.getShape()), value,
                        TypeAttr::get(elementType(builder.getContext(), number.dtype)));
}

namespace {

/// cast(full(v)) -> full(v'), so that a number meets tensors of any dtype without a kernel of its own.
struct CastOfNumber : OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CastOp op, PatternRewriter &rewriter) const override {
    auto number = splatNumber(op.getX());
    auto type = cast<RankedTensorType>(op.getResult().getType());
    if (!number) return rewriter.notifyMatchFailure(op, "the operand is not one number");
    if (!type.hasStaticShape()) return rewriter.notifyMatchFailure(op, "dynamic sizes");
    rewriter.replaceOp(op, createFull(rewriter, op.getLoc(), type, castNumber(*number, *dtypeOf(op.getDtype()))));
    return success();
  }
};

/// x / 2^k -> x * 2^-k where 2^-k is normal: the same bits, and a product is cheaper.
struct DivideByPowerOfTwo : OpRewritePattern<DivOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(DivOp op, PatternRewriter &rewriter) const override {
    auto number = splatNumber(op.getB());
    if (!number) return rewriter.notifyMatchFailure(op, "the divisor is not one number");
    int exponent;
    if (std::fabs(std::frexp(number->number, &exponent)) != 0.5)
      return rewriter.notifyMatchFailure(op, "the divisor is not a power of two");
    const double inverse = 1 / number->number;
    const double least = number->dtype == DType::F32 ? 0x1p-126 : 0x1p-1022;
    const double most = number->dtype == DType::F32 ? 0x1p127 : 0x1p1023;
    if (!(std::fabs(inverse) >= least && std::fabs(inverse) <= most))
      return rewriter.notifyMatchFailure(op, "the reciprocal is not normal");
    auto type = RankedTensorType::get({}, cast<RankedTensorType>(op.getB().getType()).getElementType());
    Value factor = createFull(rewriter, op.getLoc(), type, {number->dtype, inverse, 0});
    auto bType = cast<RankedTensorType>(op.getB().getType());
    if (bType.getRank() > cast<RankedTensorType>(op.getA().getType()).getRank() || bType.getNumElements() != 1)
      return rewriter.notifyMatchFailure(op, "the divisor broadcasts the dividend");
    rewriter.replaceOpWithNewOp<MulOp>(op, op.getResult().getType(), op.getA(), factor);
    return success();
  }
};

} // namespace

void CastOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<CastOfNumber>(context);
}

void DivOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DivideByPowerOfTwo>(context);
}

} // namespace tensorjit::tj
