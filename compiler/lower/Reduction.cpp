// Sums, means, extremes and their positions over dims.
#include "lower/Lowering.h"
#include "lower/Scalars.h"

namespace tensorjit::lower_ops {

using kernel::ArgReduceKind;
using kernel::ReduceKind;

namespace {

// The space of a reduction: the dims of operand 0, some of them reduced.
struct Space {
  NestBuilder nest;
  SmallVector<AffineExpr> dims, kept, reduced;
  SmallVector<int64_t> reducedSizes;
  int64_t count = 1;

  explicit Space(Lowering &l) : nest(l.nest()) {
    SmallVector<bool> isReduced(l.type(0).getRank(), false);
    for (int64_t dim : l.integers("dims")) isReduced[dim] = true;
    for (auto [dim, size] : llvm::enumerate(l.shape(0))) {
      dims.push_back(isReduced[dim] ? nest.reduction(size) : nest.parallel(size));
      if (!isReduced[dim]) {
        kept.push_back(dims.back());
        continue;
      }
      if (l.boolean("keepdim")) kept.push_back(l.constant(0));
      reduced.push_back(dims.back());
      reducedSizes.push_back(size);
      count *= size;
    }
    nest.input(l.operand(0), dims);
    nest.output(l.resultType().getElementType(), kept);
  }
};

} // namespace

// Scalars of bool and u8 as signed integers that order as they do.
static Value widened(Scalars s, Value x, Type element) {
  bool isUnsigned = element.isInteger(1) || element.isUnsignedInteger();
  return isUnsigned ? Value(arith::ExtUIOp::create(s.b, s.loc, s.b.getI32Type(), x)) : x;
}
static Value narrowed(Scalars s, Value x, Type element) {
  Type type = kernel::scalarType(element);
  return x.getType() == type ? x : Value(arith::TruncIOp::create(s.b, s.loc, type, x));
}

template <ReduceKind kind> static Values reduce(Lowering &l) {
  Space space(l);
  Type element = l.type(0).getElementType();
  auto body = [&](OpBuilder &b, Location loc, ValueRange in) -> Values {
    Scalars s{b, loc};
    if (kind == ReduceKind::And || kind == ReduceKind::Or) {
      Value isSet = s.isNotZero(in[0]);
      return {space.reduced.empty() ? isSet : s.reduce(kind, isSet)};
    }
    if (space.reduced.empty()) return {in[0]};
    return {narrowed(s, s.reduce(kind, widened(s, in[0], element)), element)};
  };
  return Values(space.nest.create(body)->getResults());
}

static Values mean(Lowering &l) {
  Space space(l);
  auto body = [&](OpBuilder &b, Location loc, ValueRange in) -> Values {
    Scalars s{b, loc};
    Value sum = space.reduced.empty() ? in[0] : s.sum(in[0]);
    return {s.div(sum, s.constant(sum.getType(), static_cast<double>(space.count)))};
  };
  return Values(space.nest.create(body)->getResults());
}

template <ArgReduceKind kind> static Values argReduce(Lowering &l) {
  Space space(l);
  Type element = l.type(0).getElementType();
  AffineExpr position = l.constant(0);
  for (auto [dim, size] : llvm::zip_equal(space.reduced, space.reducedSizes)) position = position * size + dim;
  auto body = [&](OpBuilder &b, Location loc, ValueRange in) -> Values {
    Scalars s{b, loc};
    if (space.reduced.empty()) return {s.integer(0)};
    Value x = widened(s, in[0], element);
    auto found =
        kernel::ArgReduceOp::create(b, loc, x.getType(), b.getI64Type(), kind, x, s.index(position, l.shape(0)));
    return {found.getAt()};
  };
  return Values(space.nest.create(body)->getResults());
}

ArrayRef<LowerEntry> reductionLowerings() {
  static constexpr LowerEntry entries[] = {{"reduce_sum", reduce<ReduceKind::Add>},
                                           {"reduce_prod", reduce<ReduceKind::Mul>},
                                           {"reduce_max", reduce<ReduceKind::Max>},
                                           {"reduce_min", reduce<ReduceKind::Min>},
                                           {"reduce_and", reduce<ReduceKind::And>},
                                           {"reduce_or", reduce<ReduceKind::Or>},
                                           {"mean", mean},
                                           {"arg_max", argReduce<ArgReduceKind::Max>},
                                           {"arg_min", argReduce<ArgReduceKind::Min>}};
  return entries;
}

} // namespace tensorjit::lower_ops
