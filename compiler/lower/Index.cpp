// Elements at positions that are data: reads of nests, and kernels that write where a list says.
#include "fuse/Cost.h"
#include "lower/Lowering.h"
#include "lower/Scalars.h"
#include "nest/IndexExpr.h"

#include "mlir/IR/Matchers.h"

namespace tensorjit::lower_ops {

static AffineExpr position(Lowering &l) { return getAffineSymbolExpr(0, l.context()); }

// The position where it lies in [0, bound), else 0 and a report.
static Value checked(Lowering &l, Scalars s, Value value, Value place) {
  return kernel::CheckIndexOp::create(s.b, s.loc, s.b.getI64Type(), value, place, l.indexBound(), l.check());
}

// A nest over `dims` that reads operand 0 at `from`, whose symbol is what operand 1 holds at `at`.
static Values readAt(Lowering &l, NestBuilder &nest, ArrayRef<AffineExpr> dims, ArrayRef<AffineExpr> from,
                     ArrayRef<AffineExpr> at) {
  if (l.indexBound() == 0) return l.refuse("positions in an empty dim");
  nest.input(l.operand(0), from);
  nest.input(l.operand(1), at);
  nest.output(l.resultType().getElementType(), dims);
  AffineExpr place = nest::linearize(at, l.shape(1), l.context());
  auto body = [&](OpBuilder &b, Location loc, ValueRange in) -> Values {
    Scalars s{b, loc};
    Value row = checked(l, s, s.toI64(in[1]), s.index(place, l.resultType().getShape()));
    return {kernel::ReadOp::create(b, loc, in[0], row)};
  };
  return Values(nest.create(body)->getResults());
}

static Values gather(Lowering &l) {
  if (!l.type(1).getElementType().isSignlessInteger() || l.shape(0).empty()) return l.refuse("positions of no dim");
  NestBuilder nest = l.nest();
  SmallVector<AffineExpr> dims = nest.parallel(l.resultType().getShape()), from = dims;
  from[l.integer("dim")] = position(l);
  return readAt(l, nest, dims, from, dims);
}

static Values indexSelect(Lowering &l) {
  NestBuilder nest = l.nest();
  SmallVector<AffineExpr> dims = nest.parallel(l.resultType().getShape()), from = dims;
  int64_t dim = l.integer("dim");
  from[dim] = position(l);
  return readAt(l, nest, dims, from, {dims[dim]});
}

// Positions below a bound, with negative ones counted from the end. What is out of range is reported as it was given.
static Values index(Lowering &l) {
  NestBuilder nest = l.nest();
  SmallVector<AffineExpr> dims = nest.parallel(l.shape(0));
  nest.input(l.operand(0), dims);
  nest.output(l.builder.getI64Type(), dims);
  AffineExpr place = nest::linearize(dims, l.shape(0), l.context());
  auto body = [&](OpBuilder &b, Location loc, ValueRange in) -> Values {
    Scalars s{b, loc};
    Value value = s.toI64(in[0]);
    if (l.boolean("wrap")) {
      Value wrapped = s.add(value, s.integer(l.integer("size"))), zero = s.integer(0);
      Value fromEnd = s.both(s.compare(arith::CmpIPredicate::slt, value, zero),
                             s.compare(arith::CmpIPredicate::sge, wrapped, zero));
      value = s.select(fromEnd, wrapped, value);
    }
    return {checked(l, s, value, s.index(place, l.shape(0)))};
  };
  return Values(nest.create(body)->getResults());
}

// Whether a tensor is full of zeros that nobody needs to make: +0, which is what stands in fresh memory.
static bool isZeros(Value tensor) {
  if (auto view = tensor.getDefiningOp<kernel::ViewOp>()) return isZeros(view.getSource());
  auto nest = tensor.getDefiningOp<kernel::NestOp>();
  if (!nest) return false;
  if (fuse_nests::isCopy(nest)) return !nest.getPad(0) && isZeros(nest.getInputs()[0]);
  Value value = nest.getYield().getOperand(cast<OpResult>(tensor).getResultNumber());
  return matchPattern(value, m_Zero()) || matchPattern(value, m_PosZeroFloat());
}

static Values scatter(Lowering &l, kernel::ScatterKind kind) {
  auto dim = static_cast<unsigned>(l.integer("dim"));
  RankedTensorType type = l.resultType(), index = l.type(1), source = l.type(2);
  if (type.getRank() == 0) return l.refuse("a scatter into no dim");
  if (type.getNumElements() == 0 || source.getNumElements() == 0) return l.refuse("a scatter of nothing");
  SmallVector<int64_t> sizes(type.getShape());
  sizes[dim] = source.getRank() == type.getRank() ? source.getDimSize(dim) : 0;
  bool whole = source.getShape() == ArrayRef(sizes);
  bool list = index.getRank() == 1 && index.getDimSize(0) == sizes[dim];
  if (!whole || (!list && index.getShape() != source.getShape())) return l.refuse("a scatter of a part of its source");
  Value base = isZeros(l.operand(0)) ? Value() : l.operand(0);
  return {kernel::ScatterOp::create(l.builder, l.loc(), type, l.op->getName().stripDialect(), kind, l.operand(2),
                                    l.operand(1), base, dim, l.check())};
}

static Values scatterSet(Lowering &l) { return scatter(l, kernel::ScatterKind::Set); }
static Values scatterAdd(Lowering &l) { return scatter(l, kernel::ScatterKind::Add); }

ArrayRef<LowerEntry> indexLowerings() {
  static constexpr LowerEntry entries[] = {
      {"gather", gather},         {"index_select", indexSelect}, {"index", index},         {"scatter", scatterSet},
      {"index_copy", scatterSet}, {"scatter_add", scatterAdd},   {"index_add", scatterAdd}};
  return entries;
}

} // namespace tensorjit::lower_ops
