// Convolution and its gradients as contractions. Images are NCHW here; compiler/layout moves channels last.
#include "kernel/AffineRange.h"
#include "lower/Lowering.h"
#include "lower/Scalars.h"

namespace tensorjit::lower_ops {

namespace {

struct Window {
  int64_t strideH, strideW, padH, padW, dilationH, dilationW, groups;

  explicit Window(Lowering &l)
      : strideH(l.integers("stride")[0]), strideW(l.integers("stride")[1]), padH(l.integers("padding")[0]),
        padW(l.integers("padding")[1]), dilationH(l.integers("dilation")[0]), dilationW(l.integers("dilation")[1]),
        groups(l.integer("groups")) {}
};

// A nest with one group of channels after another: [n, g, ...]; without groups the group dim is left out.
struct Builder {
  Lowering &l;
  NestBuilder nest;
  SmallVector<int64_t> sizes;
  int64_t groups;
  AffineExpr group;

  Builder(Lowering &l, int64_t groups) : l(l), nest(l.nest()), groups(groups), group(l.constant(0)) {}
  AffineExpr parallel(int64_t size) {
    sizes.push_back(size);
    return nest.parallel(size);
  }
  AffineExpr reduction(int64_t size) {
    sizes.push_back(size);
    return nest.reduction(size);
  }
  void addGroupDim() {
    if (groups > 1) group = parallel(groups);
  }
  // Channel `channel` of the current group, `perGroup` channels each.
  AffineExpr channel(AffineExpr channel, int64_t perGroup) { return group * perGroup + channel; }
  // Reads zeros outside.
  void input(Value tensor, ArrayRef<AffineExpr> index) {
    auto type = cast<RankedTensorType>(tensor.getType());
    bool inside = kernel::isInBounds(AffineMap::get(sizes.size(), 0, index, l.context()), sizes, type.getShape());
    nest.input(tensor, index, inside ? TypedAttr() : l.builder.getZeroAttr(type.getElementType()));
  }
  // `index` counts channels within the group; in the result they follow one another.
  Values finish(SmallVector<AffineExpr> index, unsigned channelDim, NestBuilder::Body body) {
    if (groups > 1) index.insert(index.begin() + channelDim, group);
    nest.output(l.resultType().getElementType(), index);
    Value result = nest.create(body)->getResult(0);
    if (groups > 1) result = kernel::ViewOp::create(l.builder, l.loc(), l.resultType(), result);
    return {result};
  }
};

} // namespace

static Values productBody(OpBuilder &b, Location loc, ValueRange in) {
  Scalars s{b, loc};
  Value sum = s.sum(s.mul(in[0], in[1]));
  return {in.size() > 2 ? s.add(sum, in[2]) : sum};
}

static Values conv2d(Lowering &l) {
  Window window(l);
  ArrayRef<int64_t> y = l.resultType().getShape(), w = l.shape(1);
  Builder b(l, window.groups);
  AffineExpr n = b.parallel(y[0]);
  b.addGroupDim();
  AffineExpr h = b.parallel(y[2]), v = b.parallel(y[3]), o = b.parallel(y[1] / window.groups);
  AffineExpr kh = b.reduction(w[2]), kw = b.reduction(w[3]), c = b.reduction(w[1]);
  b.input(l.operand(0), {n, b.channel(c, w[1]), h * window.strideH + kh * window.dilationH - window.padH,
                         v * window.strideW + kw * window.dilationW - window.padW});
  AffineExpr outChannel = b.channel(o, y[1] / window.groups);
  b.input(l.operand(1), {outChannel, c, kh, kw});
  if (l.has(2)) b.input(l.operand(2), {outChannel});
  return b.finish({n, o, h, v}, 1, productBody);
}

// g with stride - 1 zeros between neighbours, so that a strided convolution's gradient is one of stride 1.
static Value dilate(Lowering &l, Value g, const Window &window) {
  if (window.strideH == 1 && window.strideW == 1) return g;
  auto type = cast<RankedTensorType>(g.getType());
  SmallVector<int64_t> sizes(type.getShape());
  sizes[2] = sizes[2] ? (sizes[2] - 1) * window.strideH + 1 : 0;
  sizes[3] = sizes[3] ? (sizes[3] - 1) * window.strideW + 1 : 0;
  NestBuilder nest(l.builder, l.loc(), "dilate");
  SmallVector<AffineExpr> dims = nest.parallel(sizes);
  nest.input(g, {dims[0], dims[1], dims[2].floorDiv(window.strideH), dims[3].floorDiv(window.strideW)});
  nest.output(type.getElementType(), dims);
  auto body = [&](OpBuilder &b, Location loc, ValueRange in) -> Values {
    Scalars s{b, loc};
    Value zero = s.integer(0);
    Value row = s.equal(s.index(dims[2] % window.strideH, sizes), zero);
    Value column = s.equal(s.index(dims[3] % window.strideW, sizes), zero);
    return {s.select(s.both(row, column), in[0], s.constant(in[0].getType(), 0))};
  };
  return nest.create(body)->getResult(0);
}

// The convolution of the padded, dilated gradient with the window turned round: taps run from the last to the first.
static Values conv2dInputGrad(Lowering &l) {
  Window window(l);
  ArrayRef<int64_t> x = l.resultType().getShape(), w = l.shape(1);
  Value g = dilate(l, l.operand(0), window);
  Builder b(l, window.groups);
  int64_t outPerGroup = w[0] / window.groups;
  AffineExpr n = b.parallel(x[0]);
  b.addGroupDim();
  AffineExpr h = b.parallel(x[2]), v = b.parallel(x[3]), c = b.parallel(w[1]);
  AffineExpr kh = b.reduction(w[2]), kw = b.reduction(w[3]), o = b.reduction(outPerGroup);
  AffineExpr outChannel = b.channel(o, outPerGroup);
  b.input(g, {n, outChannel, h + kh * window.dilationH + (window.padH - (w[2] - 1) * window.dilationH),
              v + kw * window.dilationW + (window.padW - (w[3] - 1) * window.dilationW)});
  b.input(l.operand(1), {outChannel, c, (w[2] - 1) - kh, (w[3] - 1) - kw});
  return b.finish({n, c, h, v}, 1, productBody);
}

static Values conv2dWeightGrad(Lowering &l) {
  Window window(l);
  ArrayRef<int64_t> g = l.shape(0), w = l.resultType().getShape();
  Builder b(l, window.groups);
  b.addGroupDim();
  int64_t outPerGroup = w[0] / window.groups;
  AffineExpr kh = b.parallel(w[2]), kw = b.parallel(w[3]), c = b.parallel(w[1]), o = b.parallel(outPerGroup);
  AffineExpr n = b.reduction(g[0]), h = b.reduction(g[2]), v = b.reduction(g[3]);
  b.input(l.operand(1), {n, b.channel(c, w[1]), h * window.strideH + kh * window.dilationH - window.padH,
                         v * window.strideW + kw * window.dilationW - window.padW});
  b.input(l.operand(0), {n, b.channel(o, outPerGroup), h, v});
  return b.finish({o, c, kh, kw}, 0, productBody);
}

ArrayRef<LowerEntry> convolutionLowerings() {
  static constexpr LowerEntry entries[] = {
      {"conv2d", conv2d}, {"conv2d_input_grad", conv2dInputGrad}, {"conv2d_weight_grad", conv2dWeightGrad}};
  return entries;
}

} // namespace tensorjit::lower_ops
