// Max pooling and its gradient.
#include "kernel/AffineRange.h"
#include "lower/Lowering.h"
#include "lower/Scalars.h"

#include <limits>

namespace tensorjit::lower_ops {

namespace {

struct Pool {
  ArrayRef<int64_t> kernel, stride, padding, dilation;
  explicit Pool(Lowering &l)
      : kernel(l.integers("kernel")), stride(l.integers("stride")), padding(l.integers("padding")),
        dilation(l.integers("dilation")) {}
  int64_t reach(unsigned i) const { return dilation[i] * (kernel[i] - 1) + 1; } ///< cells that a window spans
};

} // namespace

static TypedAttr smallest(Builder &b, Type type) {
  if (auto real = dyn_cast<FloatType>(type))
    return b.getFloatAttr(type, APFloat::getInf(real.getFloatSemantics(), /*Negative=*/true));
  return b.getIntegerAttr(type, APInt::getSignedMinValue(type.getIntOrFloatBitWidth()));
}

// Cells outside have the smallest value at the largest position, so that any real one comes before them.
static Values maxPool2d(Lowering &l) {
  Pool pool(l);
  Type element = l.type(0).getElementType();
  if (element.isUnsignedInteger() || element.isInteger(1)) return l.refuse("max_pool2d of bool and u8");
  ArrayRef<int64_t> y = l.resultType().getShape(), x = l.shape(0);
  NestBuilder nest = l.nest();
  SmallVector<int64_t> sizes{y[0], y[1], y[2], y[3], pool.kernel[0], pool.kernel[1]};
  SmallVector<AffineExpr> dims = nest.parallel(y);
  AffineExpr kh = nest.reduction(pool.kernel[0]), kw = nest.reduction(pool.kernel[1]);
  AffineExpr h = dims[2] * pool.stride[0] + kh * pool.dilation[0] - pool.padding[0];
  AffineExpr w = dims[3] * pool.stride[1] + kw * pool.dilation[1] - pool.padding[1];
  SmallVector<AffineExpr> index{dims[0], dims[1], h, w};
  bool inside = kernel::isInBounds(AffineMap::get(6, 0, index, l.context()), sizes, x);
  nest.input(l.operand(0), index, inside ? TypedAttr() : smallest(l.builder, element));
  nest.output(element, dims);
  nest.output(l.builder.getI64Type(), dims);
  auto body = [&](OpBuilder &b, Location loc, ValueRange in) -> Values {
    Scalars s{b, loc};
    Value position = s.index(h * x[3] + w, sizes);
    if (!inside) {
      auto within = [&](AffineExpr at, int64_t size) {
        Value value = s.index(at, sizes);
        return s.both(s.compare(arith::CmpIPredicate::sge, value, s.integer(0)),
                      s.compare(arith::CmpIPredicate::slt, value, s.integer(size)));
      };
      Value real = s.both(within(h, x[2]), within(w, x[3]));
      position = s.select(real, position, s.integer(std::numeric_limits<int64_t>::max()));
    }
    auto found =
        kernel::ArgReduceOp::create(b, loc, element, b.getI64Type(), kernel::ArgReduceKind::Max, in[0], position);
    return {found.getExtreme(), found.getAt()};
  };
  return Values(nest.create(body)->getResults());
}

// Each cell looks at the windows that cover it and takes the gradient of those that it won. Where windows do not
// overlap there is one at most, and the nest has no reduction.
static Values maxPool2dGrad(Lowering &l) {
  Pool pool(l);
  ArrayRef<int64_t> x = l.resultType().getShape();
  Type element = l.resultType().getElementType();
  int64_t windowsH = (pool.reach(0) - 1) / pool.stride[0] + 1, windowsW = (pool.reach(1) - 1) / pool.stride[1] + 1;
  bool overlap = windowsH > 1 || windowsW > 1;
  NestBuilder nest = l.nest();
  SmallVector<int64_t> sizes(x);
  SmallVector<AffineExpr> dims = nest.parallel(x);
  AffineExpr h = (dims[2] + pool.padding[0]).floorDiv(pool.stride[0]);
  AffineExpr w = (dims[3] + pool.padding[1]).floorDiv(pool.stride[1]);
  if (overlap) {
    h = h - nest.reduction(windowsH);
    w = w - nest.reduction(windowsW);
    sizes.append({windowsH, windowsW});
  }
  SmallVector<AffineExpr> index{dims[0], dims[1], h, w};
  bool inside = kernel::isInBounds(AffineMap::get(sizes.size(), 0, index, l.context()), sizes, l.shape(0));
  nest.input(l.operand(0), index, inside ? TypedAttr() : l.builder.getZeroAttr(element));
  nest.input(l.operand(1), index, inside ? TypedAttr() : TypedAttr(l.builder.getI64IntegerAttr(-1)));
  nest.output(element, dims);
  auto body = [&](OpBuilder &b, Location loc, ValueRange in) -> Values {
    Scalars s{b, loc};
    Value won = s.equal(in[1], s.index(dims[2] * x[3] + dims[3], sizes));
    Value gradient = s.select(won, in[0], s.constant(element, 0));
    return {overlap ? s.sum(gradient) : gradient};
  };
  return Values(nest.create(body)->getResults());
}

ArrayRef<LowerEntry> windowLowerings() {
  static constexpr LowerEntry entries[] = {{"max_pool2d", maxPool2d}, {"max_pool2d_grad", maxPool2dGrad}};
  return entries;
}

} // namespace tensorjit::lower_ops
