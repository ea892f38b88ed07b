// Shape and creation ops: index maps, no arithmetic on elements.
#include "lower/Lowering.h"
#include "lower/Scalars.h"
#include "tensor/Folding.h"

namespace tensorjit::lower_ops {

static Values passOn(OpBuilder &, Location, ValueRange in) { return Values(in.begin(), in.end()); }

// A nest over the result's dims that reads operand 0 at `index`.
static Values readAt(Lowering &l, llvm::function_ref<SmallVector<AffineExpr>(ArrayRef<AffineExpr>)> index) {
  NestBuilder nest = l.nest();
  SmallVector<AffineExpr> dims = nest.parallel(l.resultType().getShape());
  nest.input(l.operand(0), index(dims));
  nest.output(l.resultType().getElementType(), dims);
  return Values(nest.create(passOn)->getResults());
}

static Values reshape(Lowering &l) {
  return {kernel::ViewOp::create(l.builder, l.loc(), l.resultType(), l.operand(0))};
}

static Values permute(Lowering &l) {
  return readAt(l, [&](ArrayRef<AffineExpr> dims) {
    SmallVector<AffineExpr> index(dims.size());
    for (auto [i, dim] : llvm::enumerate(l.integers("dims"))) index[dim] = dims[i];
    return index;
  });
}

static Values broadcastTo(Lowering &l) {
  return readAt(l, [&](ArrayRef<AffineExpr> dims) { return broadcastIndex(dims, l.shape(0), l.context()); });
}

static Values slice(Lowering &l) {
  return readAt(l, [&](ArrayRef<AffineExpr> dims) {
    SmallVector<AffineExpr> index(dims);
    int64_t dim = l.integer("dim");
    index[dim] = dims[dim] * l.integer("step") + l.integer("start");
    return index;
  });
}

static Values sliceScatter(Lowering &l) {
  NestBuilder nest = l.nest();
  SmallVector<AffineExpr> dims = nest.parallel(l.shape(0));
  int64_t dim = l.integer("dim"), start = l.integer("start"), step = l.integer("step"), length = l.shape(1)[dim];
  // Steps from the start of the slice, whichever way it walks.
  AffineExpr distance = step > 0 ? dims[dim] - start : start - dims[dim];
  int64_t stride = std::abs(step);
  nest.input(l.operand(0), dims);
  SmallVector<AffineExpr> inSlice = dims;
  inSlice[dim] = distance.floorDiv(stride);
  auto element = kernel::scalarType(l.type(1).getElementType());
  nest.input(l.operand(1), inSlice, l.builder.getZeroAttr(element));
  nest.output(l.resultType().getElementType(), dims);
  auto body = [&](OpBuilder &b, Location loc, ValueRange in) -> Values {
    Scalars s{b, loc};
    Value steps = s.index(distance, l.shape(0)), zero = s.integer(0);
    Value inside = s.both(s.compare(arith::CmpIPredicate::sge, steps, zero),
                          s.compare(arith::CmpIPredicate::slt, steps, s.integer(length * stride)));
    if (stride != 1) {
      Value positive = s.select(inside, steps, zero);
      inside = s.both(inside, s.equal(arith::RemSIOp::create(b, loc, positive, s.integer(stride)), zero));
    }
    return {s.select(inside, in[1], in[0])};
  };
  return Values(nest.create(body)->getResults());
}

static Values concat(Lowering &l) {
  NestBuilder nest = l.nest();
  SmallVector<AffineExpr> dims = nest.parallel(l.resultType().getShape());
  int64_t dim = l.integer("dim"), first = l.shape(0)[dim];
  if (first == 0) return {l.operand(1)};
  if (l.shape(1)[dim] == 0) return {l.operand(0)};
  auto zero = l.builder.getZeroAttr(kernel::scalarType(l.resultType().getElementType()));
  SmallVector<AffineExpr> behind = dims;
  behind[dim] = dims[dim] - first;
  nest.input(l.operand(0), dims, zero);
  nest.input(l.operand(1), behind, zero);
  nest.output(l.resultType().getElementType(), dims);
  auto body = [&](OpBuilder &b, Location loc, ValueRange in) -> Values {
    Scalars s{b, loc};
    return {s.select(s.compare(arith::CmpIPredicate::slt, s.index(dim), s.integer(first)), in[0], in[1])};
  };
  return Values(nest.create(body)->getResults());
}

static Values full(Lowering &l) {
  NestBuilder nest = l.nest();
  SmallVector<AffineExpr> dims = nest.parallel(l.resultType().getShape());
  Type element = kernel::scalarType(l.resultType().getElementType());
  nest.output(l.resultType().getElementType(), dims);
  auto body = [&](OpBuilder &b, Location loc, ValueRange) -> Values {
    const tj::SplatNumber number = *tj::splatNumber(l.op->getResult(0));
    if (isa<FloatType>(element)) return {arith::ConstantOp::create(b, loc, b.getFloatAttr(element, number.number))};
    APInt bits(64, static_cast<uint64_t>(number.integer));
    return {arith::ConstantOp::create(b, loc, b.getIntegerAttr(element, bits.trunc(element.getIntOrFloatBitWidth())))};
  };
  return Values(nest.create(body)->getResults());
}

static Values iota(Lowering &l) {
  NestBuilder nest = l.nest();
  SmallVector<AffineExpr> dims = nest.parallel(l.resultType().getShape());
  nest.output(l.resultType().getElementType(), dims);
  auto body = [&](OpBuilder &b, Location loc, ValueRange) -> Values {
    Value index = Scalars{b, loc}.index(l.integer("dim"));
    if (l.resultType().getElementType().isInteger(32)) index = arith::TruncIOp::create(b, loc, b.getI32Type(), index);
    return {index};
  };
  return Values(nest.create(body)->getResults());
}

ArrayRef<LowerEntry> shapeLowerings() {
  static constexpr LowerEntry entries[] = {{"reshape", reshape},
                                           {"permute", permute},
                                           {"broadcast_to", broadcastTo},
                                           {"slice", slice},
                                           {"slice_scatter", sliceScatter},
                                           {"concat", concat},
                                           {"full", full},
                                           {"iota", iota}};
  return entries;
}

} // namespace tensorjit::lower_ops
