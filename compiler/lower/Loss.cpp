// Losses over classes. The element of a row that the target names is picked by comparing positions, so that a row is
// one visit; what is left, the sum or mean over rows, is a nest of its own.
#include "lower/Lowering.h"
#include "lower/Scalars.h"

#include "tensorjit/arguments.h"

namespace tensorjit::lower_ops {

static Reduction reductionOf(Lowering &l) { return static_cast<Reduction>(l.integer("reduction")); }

namespace {

// The target of the current row.
struct Target {
  Value kept;   ///< i1: the row counts
  Value column; ///< i64, a class where the row counts
};

} // namespace

static Value isKept(Lowering &l, Scalars s, Value target) {
  return s.notEqual(s.toI64(target), s.integer(l.integer("ignore_index")));
}

static Target checkedTarget(Lowering &l, Scalars s, Value target) {
  Value kept = isKept(l, s, target);
  Value column = s.select(kept, s.toI64(target), s.integer(0));
  auto checked =
      kernel::CheckIndexOp::create(s.b, s.loc, s.b.getI64Type(), column, s.index(0), l.indexBound(), l.check());
  return {kept, checked};
}

// Sum or mean of the losses of rows; the mean divides by the rows that count.
static Value reduceRows(Lowering &l, Value losses, Value targets) {
  Type element = cast<RankedTensorType>(losses.getType()).getElementType();
  NestBuilder nest(l.builder, l.loc(), "loss");
  AffineExpr row = nest.reduction(cast<RankedTensorType>(losses.getType()).getDimSize(0));
  nest.input(losses, {row});
  bool mean = reductionOf(l) == Reduction::Mean;
  if (mean) nest.input(targets, {row});
  nest.output(element, {});
  auto body = [&](OpBuilder &b, Location loc, ValueRange in) -> Values {
    Scalars s{b, loc};
    Value sum = s.sum(in[0]);
    if (!mean) return {sum};
    Value one = s.constant(element, 1), zero = s.constant(element, 0);
    return {s.div(sum, s.sum(s.select(isKept(l, s, in[1]), one, zero)))};
  };
  return nest.create(body)->getResult(0);
}

static Values nllLoss(Lowering &l) {
  ArrayRef<int64_t> sizes = l.shape(0);
  Type element = l.type(0).getElementType();
  NestBuilder nest = l.nest();
  AffineExpr row = nest.parallel(sizes[0]), column = nest.reduction(sizes[1]);
  nest.input(l.operand(0), {row, column});
  nest.input(l.operand(1), {row});
  nest.output(element, {row});
  auto body = [&](OpBuilder &b, Location loc, ValueRange in) -> Values {
    Scalars s{b, loc};
    Target target = checkedTarget(l, s, in[1]);
    Value zero = s.constant(element, 0);
    Value picked = s.sum(s.select(s.equal(target.column, s.index(1)), in[0], zero));
    return {s.select(target.kept, s.neg(picked), zero)};
  };
  Value rows = nest.create(body)->getResult(0);
  return {reductionOf(l) == Reduction::None ? rows : reduceRows(l, rows, l.operand(1))};
}

static Values crossEntropy(Lowering &l) {
  ArrayRef<int64_t> sizes = l.shape(0);
  Type element = l.type(0).getElementType();
  double smoothing = l.number("label_smoothing");
  NestBuilder nest = l.nest();
  AffineExpr row = nest.parallel(sizes[0]), column = nest.reduction(sizes[1]);
  nest.input(l.operand(0), {row, column});
  nest.input(l.operand(1), {row});
  nest.output(element, {row});
  nest.output(element, {row});
  auto body = [&](OpBuilder &b, Location loc, ValueRange in) -> Values {
    Scalars s{b, loc};
    Target target = checkedTarget(l, s, in[1]);
    Value zero = s.constant(element, 0), x = in[0];
    Value max = s.reduce(kernel::ReduceKind::Max, x);
    Value logSum = s.log(s.sum(s.exp(s.sub(x, max))));
    Value picked = s.sum(s.select(s.equal(target.column, s.index(1)), x, zero));
    Value loss = s.sub(logSum, s.sub(picked, max));
    if (smoothing != 0) {
      Value all = s.sum(s.sub(logSum, s.sub(x, max)));
      loss = s.add(s.mul(s.constant(element, 1 - smoothing), loss),
                   s.mul(s.constant(element, smoothing / static_cast<double>(sizes[1])), all));
    }
    return {s.select(target.kept, loss, zero), s.add(max, logSum)};
  };
  kernel::NestOp rows = nest.create(body);
  bool none = reductionOf(l) == Reduction::None;
  return {none ? rows.getResult(0) : reduceRows(l, rows.getResult(0), l.operand(1)), rows.getResult(1)};
}

// How many rows count, as a float.
static Value countKept(Lowering &l, Value targets, Type element) {
  NestBuilder nest(l.builder, l.loc(), "kept_rows");
  AffineExpr row = nest.reduction(cast<RankedTensorType>(targets.getType()).getDimSize(0));
  nest.input(targets, {row});
  nest.output(element, {});
  auto body = [&](OpBuilder &b, Location loc, ValueRange in) -> Values {
    Scalars s{b, loc};
    return {s.sum(s.select(isKept(l, s, in[0]), s.constant(element, 1), s.constant(element, 0)))};
  };
  return nest.create(body)->getResult(0);
}

static Values crossEntropyGrad(Lowering &l) {
  ArrayRef<int64_t> sizes = l.shape(1);
  Type element = l.type(1).getElementType();
  double smoothing = l.number("label_smoothing"), classes = static_cast<double>(sizes[1]);
  bool mean = reductionOf(l) == Reduction::Mean;
  NestBuilder nest = l.nest();
  AffineExpr row = nest.parallel(sizes[0]), column = nest.parallel(sizes[1]);
  nest.input(l.operand(0), l.type(0).getRank() ? SmallVector<AffineExpr>{row} : SmallVector<AffineExpr>{});
  nest.input(l.operand(1), {row, column});
  nest.input(l.operand(2), {row});
  nest.input(l.operand(3), {row});
  if (mean) nest.input(countKept(l, l.operand(3), element), {});
  nest.output(element, {row, column});
  auto body = [&](OpBuilder &b, Location loc, ValueRange in) -> Values {
    Scalars s{b, loc};
    Value scale = mean ? s.div(in[0], in[4]) : in[0];
    Value hit = s.equal(s.toI64(in[3]), s.index(1));
    Value expected = s.select(hit, s.constant(element, 1 - smoothing + smoothing / classes),
                              s.constant(element, smoothing / classes));
    Value gradient = s.mul(s.sub(s.exp(s.sub(in[1], in[2])), expected), scale);
    return {s.select(isKept(l, s, in[3]), gradient, s.constant(element, 0))};
  };
  return Values(nest.create(body)->getResults());
}

ArrayRef<LowerEntry> lossLowerings() {
  static constexpr LowerEntry entries[] = {
      {"nll_loss", nllLoss}, {"cross_entropy", crossEntropy}, {"cross_entropy_grad", crossEntropyGrad}};
  return entries;
}

} // namespace tensorjit::lower_ops
