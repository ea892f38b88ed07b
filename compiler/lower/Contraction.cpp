// Matrix products: [batch..., m..., n | k], one product summed over k.
#include "lower/Lowering.h"
#include "lower/Scalars.h"

namespace tensorjit::lower_ops {

// sum(a * b), plus the third input where there is one.
static Values productBody(OpBuilder &b, Location loc, ValueRange in) {
  Scalars s{b, loc};
  Value sum = s.sum(s.mul(in[0], in[1]));
  return {in.size() > 2 ? s.add(sum, in[2]) : sum};
}

static Values matmul(Lowering &l) {
  Type element = l.resultType().getElementType();
  if (!element.isIntOrFloat() || element.isInteger(1)) return l.refuse("matmul of bool");
  NestBuilder nest = l.nest();
  SmallVector<AffineExpr> result = nest.parallel(l.resultType().getShape());
  AffineExpr k = nest.reduction(l.shape(0).back());
  SmallVector<AffineExpr> a(result), b(result);
  a.back() = k;
  b[b.size() - 2] = k;
  nest.input(l.operand(0), a);
  nest.input(l.operand(1), b);
  nest.output(element, result);
  return Values(nest.create(productBody)->getResults());
}

static Values linear(Lowering &l) {
  NestBuilder nest = l.nest();
  SmallVector<AffineExpr> result = nest.parallel(l.resultType().getShape());
  AffineExpr k = nest.reduction(l.shape(0).back()), out = result.back();
  SmallVector<AffineExpr> x(result);
  x.back() = k;
  nest.input(l.operand(0), x);
  nest.input(l.operand(1), {out, k});
  if (l.has(2)) nest.input(l.operand(2), {out});
  nest.output(l.resultType().getElementType(), result);
  return Values(nest.create(productBody)->getResults());
}

ArrayRef<LowerEntry> contractionLowerings() {
  static constexpr LowerEntry entries[] = {{"matmul", matmul}, {"linear", linear}};
  return entries;
}

} // namespace tensorjit::lower_ops
