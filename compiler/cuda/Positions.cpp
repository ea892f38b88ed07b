#include "cuda/Positions.h"

#include "cuda/IndexText.h"
#include "kernel/AffineRange.h"
#include "nest/IndexExpr.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tensorjit::cuda {

/// Products of what is below stay in 64 bits.
static constexpr int64_t mostFactor = int64_t{1} << 22, mostWide = int64_t{1} << 40;

static std::optional<int64_t> constantOf(Value value) {
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)) || number.getBitWidth() != 64) return std::nullopt;
  int64_t constant = number.getSExtValue();
  return constant >= 0 && constant < mostFactor ? std::optional(constant) : std::nullopt;
}

// `a` is a position, `b` a constant; null where the result is no position.
static AffineExpr withConstant(Operation *op, AffineExpr a, int64_t b) {
  return llvm::TypeSwitch<Operation *, AffineExpr>(op)
      .Case([&](arith::AddIOp) { return a + b; })
      .Case([&](arith::MulIOp) { return a * b; })
      .Case([&](arith::ShRUIOp) { return b < 32 ? a.floorDiv(int64_t{1} << b) : AffineExpr(); })
      .Case([&](arith::DivSIOp) { return b ? a.floorDiv(b) : AffineExpr(); })
      .Case([&](arith::RemSIOp) { return b ? a % b : AffineExpr(); })
      .Case([&](arith::AndIOp) { return llvm::isPowerOf2_64(b + 1) ? a % (b + 1) : AffineExpr(); })
      .Default([](Operation *) { return AffineExpr(); });
}

static AffineExpr expressionOf(const nest::Space &space, Operation *op, const Positions &known) {
  if (auto index = dyn_cast<kernel::IndexOp>(op)) return space.indices[index.getDim()];
  if (op->getNumOperands() != 2) return {};
  AffineExpr a = known.of(op->getOperand(0)), b = known.of(op->getOperand(1));
  if (a && b) return isa<arith::AddIOp>(op) ? a + b : AffineExpr();
  auto constant = constantOf(op->getOperand(a ? 1 : 0));
  if (!constant || (!a && !b) || (b && !isa<arith::AddIOp, arith::MulIOp>(op))) return {};
  return withConstant(op, a ? a : b, *constant);
}

Positions::Positions(const nest::Space &space) {
  int64_t end = IndexText(space).isWide() ? mostWide : IndexText::narrowEnd;
  for (Operation &op : kernel::NestOp(space.nest).getBlock()->without_terminator()) {
    if (op.getNumResults() != 1 || !op.getResult(0).getType().isInteger(64)) continue;
    AffineExpr expr = expressionOf(space, &op, *this);
    if (!expr) continue;
    expr = nest::simplify(expr, space.sizes);
    auto range = kernel::rangeOf(expr, space.sizes);
    if (range && range->lo >= 0 && range->hi < end) positions_[op.getResult(0)] = expr;
  }
}

} // namespace tensorjit::cuda
