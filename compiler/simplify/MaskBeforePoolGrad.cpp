// A mask on the gradient of a max pool asks at each cell whether the cell was positive; the gradient is zero but at the
// cells that won, and these are the pool's results. Asked there, the mask reads a tensor of the pooled size, and the
// image need not live until the backward pass:
//
//   %p, %i = tj.max_pool2d %y                          %p, %i = tj.max_pool2d %y
//   %d = tj.max_pool2d_grad %g, %i                ->   %m = tj.le %p, %zero
//   %m = tj.le %y, %zero                               %h = tj.where %m, %zero, %g
//   %r = tj.where %m, %zero, %d                        %r = tj.max_pool2d_grad %h, %i
//
// The bits are the same: where windows overlap, a cell wins all of its windows with one value, so all of its summands
// are kept or none.
#include "simplify/Patterns.h"

#include "op/PointwiseIds.h"
#include "op/WindowIds.h"
#include "tensor/Folding.h"
#include "tensor/OpBridge.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tensorjit {

namespace {

// One number, which meets tensors of any sizes.
bool isNumber(Value value) { return tj::splatNumber(value) && cast<RankedTensorType>(value.getType()).getRank() == 0; }

bool isZero(Value value) { return isNumber(value) && tj::splatNumber(value)->isZero(/*negative=*/false); }

bool isComparisonOf(Operation *op, Value x) {
  auto id = op ? tj::opIdOf(op) : std::nullopt;
  constexpr OpId comparisons[] = {opid::Eq, opid::Ne, opid::Lt, opid::Le, opid::Gt, opid::Ge};
  return id && llvm::is_contained(comparisons, *id) && op->getOperand(0) == x && isNumber(op->getOperand(1));
}

// The gradient of a max pool that makes `value`, and the pool that gave its positions; null where there is none.
std::pair<Operation *, Operation *> poolAndGradient(Value value) {
  for (auto [poolId, gradientId] :
       {std::pair{opid::MaxPool2d, opid::MaxPool2dGrad}, std::pair{opid::MaxPool3d, opid::MaxPool3dGrad}})
    if (Operation *gradient = tj::producedBy(value, gradientId))
      return {tj::producedBy(gradient->getOperand(1), poolId), gradient};
  return {};
}

struct MaskBeforePoolGrad : RewritePattern {
  explicit MaskBeforePoolGrad(MLIRContext *context) : RewritePattern(tj::qualifiedName(opid::Where), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    unsigned zero = isZero(op->getOperand(1)) ? 1 : 2, other = 3 - zero;
    if (!isZero(op->getOperand(zero))) return rewriter.notifyMatchFailure(op, "no branch is zero");
    auto [pool, gradient] = poolAndGradient(op->getOperand(other));
    if (!gradient || !gradient->hasOneUse() || gradient->getResultTypes() != op->getResultTypes())
      return rewriter.notifyMatchFailure(op, "the other branch is no gradient of a max pool of its own");
    Operation *compare = op->getOperand(0).getDefiningOp();
    if (!pool || pool->getOperand(0).getType() != op->getResult(0).getType() ||
        !isComparisonOf(compare, pool->getOperand(0)))
      return rewriter.notifyMatchFailure(op, "the condition does not compare what was pooled with a number");
    for (const char *name : {"kernel", "stride", "padding", "dilation"})
      if (gradient->getAttr(name) != pool->getAttr(name)) return rewriter.notifyMatchFailure(op, "the windows differ");

    auto type = cast<RankedTensorType>(pool->getResult(0).getType());
    IRMapping mapping;
    mapping.map(pool->getOperand(0), pool->getResult(0));
    Operation *condition = rewriter.clone(*compare, mapping);
    condition->getResult(0).setType(type.clone(rewriter.getI1Type()));
    SmallVector<Value> operands{condition->getResult(0), gradient->getOperand(0), gradient->getOperand(0)};
    operands[zero] = op->getOperand(zero);
    Operation *masked = tj::createOp(rewriter, op->getLoc(), opid::Where, operands, {}, type);
    Operation *moved = rewriter.clone(*gradient);
    moved->setOperand(0, masked->getResult(0));
    rewriter.replaceOp(op, moved->getResults());
    return success();
  }
};

} // namespace

void addMaskBeforePoolGrad(RewritePatternSet &patterns) { patterns.add<MaskBeforePoolGrad>(patterns.getContext()); }

} // namespace tensorjit
