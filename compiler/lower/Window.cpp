// Max pooling, window sums, and their gradients, over the last dims of [n, c, space].
#include "kernel/AffineRange.h"
#include "lower/Lowering.h"
#include "lower/Scalars.h"

#include <limits>

namespace tensorjit::lower_ops {

namespace {

struct Windows {
  ArrayRef<int64_t> kernel, stride, low, dilation;
  Windows(Lowering &l, StringRef padding)
      : kernel(l.integers("kernel")), stride(l.integers("stride")), low(l.integers(padding)),
        dilation(l.integers("dilation")) {}
  unsigned dims() const { return kernel.size(); }
  int64_t reach(unsigned i) const { return dilation[i] * (kernel[i] - 1) + 1; } ///< cells that a window spans
  int64_t covering(unsigned i) const { return (reach(i) - 1) / stride[i] + 1; } ///< most windows that cover a cell
};

// A nest over windows, or over cells, and what its dims are.
struct Sliding {
  NestBuilder nest;
  SmallVector<int64_t> sizes;
  SmallVector<AffineExpr> dims, index;

  Sliding(Lowering &l, ArrayRef<int64_t> result) : nest(l.nest()), sizes(result), dims(nest.parallel(result)) {
    index.assign(dims.begin(), dims.begin() + 2);
  }
  AffineExpr reduction(int64_t size) {
    sizes.push_back(size);
    return nest.reduction(size);
  }
  // Reads the cells of each window.
  void slideOver(const Windows &w) {
    for (unsigned i = 0; i < w.dims(); ++i)
      index.push_back(dims[i + 2] * w.stride[i] + reduction(w.kernel[i]) * w.dilation[i] - w.low[i]);
  }
  // Reads the windows that may cover each cell, the last one first. Where windows do not overlap there is one at most,
  // and the nest has no reduction.
  void lookUp(const Windows &w) {
    bool overlap = false;
    for (unsigned i = 0; i < w.dims(); ++i) overlap |= w.covering(i) > 1;
    for (unsigned i = 0; i < w.dims(); ++i) {
      AffineExpr last = (dims[i + 2] + w.low[i]).floorDiv(w.stride[i]);
      index.push_back(overlap ? last - reduction(w.covering(i)) : last);
    }
    hasReduction = overlap;
  }
  bool isInside(ArrayRef<int64_t> read) const {
    MLIRContext *context = dims.front().getContext();
    return kernel::isInBounds(AffineMap::get(sizes.size(), 0, index, context), sizes, read);
  }
  bool hasReduction = true;
};

} // namespace

static TypedAttr smallest(Builder &b, Type type) {
  if (auto real = dyn_cast<FloatType>(type))
    return b.getFloatAttr(type, APFloat::getInf(real.getFloatSemantics(), /*Negative=*/true));
  return b.getIntegerAttr(type, APInt::getSignedMinValue(type.getIntOrFloatBitWidth()));
}

// Row-major position in space of the point that `index` names.
static AffineExpr position(ArrayRef<AffineExpr> index, ArrayRef<int64_t> sizes) {
  AffineExpr at = index[2];
  for (unsigned i = 3; i < index.size(); ++i) at = at * sizes[i] + index[i];
  return at;
}

// Cells outside have the smallest value at the largest position, so that any real one comes before them.
static Values maxPool(Lowering &l) {
  Type element = l.type(0).getElementType();
  if (element.isUnsignedInteger() || element.isInteger(1))
    return l.refuse(l.op->getName().stripDialect() + " of bool and u8");
  ArrayRef<int64_t> x = l.shape(0);
  Sliding s(l, l.resultType().getShape());
  s.slideOver(Windows(l, "padding"));
  bool inside = s.isInside(x);
  s.nest.input(l.operand(0), s.index, inside ? TypedAttr() : smallest(l.builder, element));
  s.nest.output(element, s.dims);
  s.nest.output(l.builder.getI64Type(), s.dims);
  auto body = [&](OpBuilder &b, Location loc, ValueRange in) -> Values {
    Scalars scalars{b, loc};
    Value at = scalars.index(position(s.index, x), s.sizes);
    if (!inside) {
      Value real;
      for (unsigned i = 2; i < x.size(); ++i) {
        Value cell = scalars.index(s.index[i], s.sizes);
        Value within = scalars.both(scalars.compare(arith::CmpIPredicate::sge, cell, scalars.integer(0)),
                                    scalars.compare(arith::CmpIPredicate::slt, cell, scalars.integer(x[i])));
        real = real ? scalars.both(real, within) : within;
      }
      at = scalars.select(real, at, scalars.integer(std::numeric_limits<int64_t>::max()));
    }
    auto found = kernel::ArgReduceOp::create(b, loc, element, b.getI64Type(), kernel::ArgReduceKind::Max, in[0], at);
    return {found.getExtreme(), found.getAt()};
  };
  return Values(s.nest.create(body)->getResults());
}

// Each cell looks at the windows that cover it and takes the gradient of those that it won.
static Values maxPoolGrad(Lowering &l) {
  ArrayRef<int64_t> x = l.resultType().getShape();
  Type element = l.resultType().getElementType();
  Sliding s(l, x);
  s.lookUp(Windows(l, "padding"));
  bool inside = s.isInside(l.shape(0));
  s.nest.input(l.operand(0), s.index, inside ? TypedAttr() : l.builder.getZeroAttr(element));
  s.nest.input(l.operand(1), s.index, inside ? TypedAttr() : TypedAttr(l.builder.getI64IntegerAttr(-1)));
  s.nest.output(element, s.dims);
  auto body = [&](OpBuilder &b, Location loc, ValueRange in) -> Values {
    Scalars scalars{b, loc};
    Value won = scalars.equal(in[1], scalars.index(position(s.dims, x), s.sizes));
    Value gradient = scalars.select(won, in[0], scalars.constant(element, 0));
    return {s.hasReduction ? scalars.sum(gradient) : gradient};
  };
  return Values(s.nest.create(body)->getResults());
}

static Values windowSum(Lowering &l) {
  Type element = l.resultType().getElementType();
  Sliding s(l, l.resultType().getShape());
  s.slideOver(Windows(l, "low"));
  s.nest.input(l.operand(0), s.index, s.isInside(l.shape(0)) ? TypedAttr() : l.builder.getZeroAttr(element));
  s.nest.output(element, s.dims);
  auto body = [](OpBuilder &b, Location loc, ValueRange in) -> Values { return {Scalars{b, loc}.sum(in[0])}; };
  return Values(s.nest.create(body)->getResults());
}

// Where a cell is looked at from a window, it lies `(cell + low) mod stride + before * stride` behind the window's
// first cell; that must be one of the window's cells.
static Value isCovered(Scalars &scalars, const Sliding &s, const Windows &w) {
  Value covered;
  auto require = [&](Value condition) { covered = covered ? scalars.both(covered, condition) : condition; };
  for (unsigned i = 0; i < w.dims(); ++i) {
    AffineExpr offset = s.dims[i + 2] + w.low[i] - s.index[i + 2] * w.stride[i];
    if (w.reach(i) < w.covering(i) * w.stride[i])
      require(scalars.compare(arith::CmpIPredicate::slt, scalars.index(offset, s.sizes), scalars.integer(w.reach(i))));
    if (w.dilation[i] > 1 && w.kernel[i] > 1)
      require(scalars.equal(scalars.index(offset % w.dilation[i], s.sizes), scalars.integer(0)));
  }
  return covered;
}

static Values windowSumBackward(Lowering &l) {
  Windows w(l, "low");
  Type element = l.resultType().getElementType();
  Sliding s(l, l.resultType().getShape());
  s.lookUp(w);
  s.nest.input(l.operand(0), s.index, s.isInside(l.shape(0)) ? TypedAttr() : l.builder.getZeroAttr(element));
  s.nest.output(element, s.dims);
  auto body = [&](OpBuilder &b, Location loc, ValueRange in) -> Values {
    Scalars scalars{b, loc};
    Value gradient = in[0];
    if (Value covered = isCovered(scalars, s, w))
      gradient = scalars.select(covered, gradient, scalars.constant(element, 0));
    return {s.hasReduction ? scalars.sum(gradient) : gradient};
  };
  return Values(s.nest.create(body)->getResults());
}

ArrayRef<LowerEntry> windowLowerings() {
  static constexpr LowerEntry entries[] = {
      {"max_pool2d", maxPool},          {"max_pool3d", maxPool},   {"max_pool2d_grad", maxPoolGrad},
      {"max_pool3d_grad", maxPoolGrad}, {"window_sum", windowSum}, {"window_sum_backward", windowSumBackward}};
  return entries;
}

} // namespace tensorjit::lower_ops
