#include "nest/IndexExpr.h"

#include "kernel/AffineRange.h"
#include "kernel/Kernel.h"

namespace tensorjit::nest {

// The terms of a sum.
static void collectTerms(AffineExpr expr, SmallVectorImpl<AffineExpr> &terms) {
  if (auto sum = dyn_cast<AffineBinaryOpExpr>(expr); sum && sum.getKind() == AffineExprKind::Add) {
    collectTerms(sum.getLHS(), terms);
    collectTerms(sum.getRHS(), terms);
  } else {
    terms.push_back(expr);
  }
}

// `expr` as `multiple * divisor + rest`, where every term that the divisor divides is in `multiple`.
static std::pair<AffineExpr, AffineExpr> splitBy(AffineExpr expr, int64_t divisor) {
  SmallVector<AffineExpr> terms;
  collectTerms(expr, terms);
  AffineExpr zero = getAffineConstantExpr(0, expr.getContext());
  AffineExpr multiple = zero, rest = zero;
  for (AffineExpr term : terms) {
    if (term.isMultipleOf(divisor)) multiple = multiple + term.floorDiv(divisor);
    else rest = rest + term;
  }
  return {multiple, rest};
}

static AffineExpr simplifyQuotient(AffineBinaryOpExpr expr, ArrayRef<int64_t> sizes) {
  AffineExpr dividend = simplify(expr.getLHS(), sizes);
  auto constant = dyn_cast<AffineConstantExpr>(expr.getRHS());
  if (!constant || constant.getValue() <= 0) return expr;
  int64_t divisor = constant.getValue();
  auto [multiple, rest] = splitBy(dividend, divisor);
  auto range = kernel::rangeOf(rest, sizes);
  bool small = range && range->lo >= 0 && range->hi < divisor;
  if (expr.getKind() == AffineExprKind::FloorDiv) return small ? multiple : multiple + rest.floorDiv(divisor);
  return small ? rest : rest % divisor;
}

AffineExpr simplify(AffineExpr expr, ArrayRef<int64_t> sizes) {
  if (auto range = kernel::rangeOf(expr, sizes); range && range->lo == range->hi)
    return getAffineConstantExpr(range->lo, expr.getContext());
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary) return expr;
  switch (expr.getKind()) {
  case AffineExprKind::Add: return simplify(binary.getLHS(), sizes) + simplify(binary.getRHS(), sizes);
  case AffineExprKind::Mul: return simplify(binary.getLHS(), sizes) * simplify(binary.getRHS(), sizes);
  case AffineExprKind::FloorDiv:
  case AffineExprKind::Mod: return simplifyQuotient(binary, sizes);
  default: return expr;
  }
}

AffineMap simplify(AffineMap map, ArrayRef<int64_t> sizes) {
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : map.getResults()) results.push_back(simplify(expr, sizes));
  return AffineMap::get(map.getNumDims(), map.getNumSymbols(), results, map.getContext());
}

Value materialize(OpBuilder &builder, Location loc, AffineExpr expr, ArrayRef<int64_t> sizes) {
  Type i64 = builder.getI64Type();
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(constant.getValue()));
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) return kernel::IndexOp::create(builder, loc, i64, dim.getPosition());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value left = materialize(builder, loc, binary.getLHS(), sizes);
  Value right = materialize(builder, loc, binary.getRHS(), sizes);
  auto range = kernel::rangeOf(binary.getLHS(), sizes);
  bool positive = range && range->lo >= 0;
  switch (expr.getKind()) {
  case AffineExprKind::Add: return arith::AddIOp::create(builder, loc, left, right);
  case AffineExprKind::Mul: return arith::MulIOp::create(builder, loc, left, right);
  case AffineExprKind::CeilDiv: return arith::CeilDivSIOp::create(builder, loc, left, right);
  case AffineExprKind::FloorDiv:
    if (positive) return arith::DivSIOp::create(builder, loc, left, right);
    return arith::FloorDivSIOp::create(builder, loc, left, right);
  default: {
    if (positive) return arith::RemSIOp::create(builder, loc, left, right);
    Value quotient = arith::FloorDivSIOp::create(builder, loc, left, right);
    return arith::SubIOp::create(builder, loc, left, arith::MulIOp::create(builder, loc, quotient, right));
  }
  }
}

AffineExpr linearize(ArrayRef<AffineExpr> index, ArrayRef<int64_t> sizes, MLIRContext *context) {
  AffineExpr position = getAffineConstantExpr(0, context);
  for (auto [expr, size] : llvm::zip_equal(index, sizes)) position = position * size + expr;
  return position;
}

SmallVector<AffineExpr> delinearize(AffineExpr position, ArrayRef<int64_t> sizes) {
  SmallVector<AffineExpr> index(sizes.size(), getAffineConstantExpr(0, position.getContext()));
  for (size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] == 1) continue;
    bool first = llvm::all_of(sizes.take_front(i), [](int64_t size) { return size == 1; });
    index[i] = first ? position : position % sizes[i];
    position = position.floorDiv(sizes[i]);
  }
  return index;
}

} // namespace tensorjit::nest
