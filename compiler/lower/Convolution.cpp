// Convolution and its gradients as contractions. Images are NCHW here; compiler/layout moves channels last.
#include "kernel/AffineRange.h"
#include "lower/Lowering.h"
#include "lower/Scalars.h"

#include <numeric>

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
  Value finish(SmallVector<AffineExpr> index, unsigned channelDim, RankedTensorType type, NestBuilder::Body body) {
    if (groups > 1) index.insert(index.begin() + channelDim, group);
    nest.output(type.getElementType(), index);
    Value result = nest.create(body)->getResult(0);
    return groups > 1 ? kernel::ViewOp::create(l.builder, l.loc(), type, result).getResult() : result;
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
  return {b.finish({n, o, h, v}, 1, l.resultType(), productBody)};
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

namespace {
// Along one axis of the image, the taps of the window that reach the points stride * a + phase, from the last to the
// first: tap `last - t * tapStep` there meets the gradient at `a + position + t * positionStep`.
struct Phase {
  int64_t points, taps, last, tapStep, position, positionStep;

  Phase(int64_t phase, int64_t size, int64_t window, int64_t stride, int64_t pad, int64_t dilation)
      : points((size + stride - 1) / stride), taps(0), last(0), tapStep(stride / std::gcd(stride, dilation)),
        position(0), positionStep(tapStep * dilation / stride) {
    for (int64_t tap = 0; tap < window; ++tap) {
      if ((phase + pad - tap * dilation) % stride != 0) continue;
      ++taps;
      last = tap;
    }
    position = (phase + pad - last * dilation) / stride;
  }
};
} // namespace

// A convolution of stride 1 with the window's taps of one phase, turned round.
static Value phaseOfInputGrad(Lowering &l, Value g, const Phase &rows, const Phase &columns, int64_t groups) {
  ArrayRef<int64_t> x = l.resultType().getShape(), w = l.shape(1);
  Builder b(l, groups);
  int64_t outPerGroup = w[0] / groups;
  AffineExpr n = b.parallel(x[0]);
  b.addGroupDim();
  AffineExpr h = b.parallel(rows.points), v = b.parallel(columns.points), c = b.parallel(w[1]);
  AffineExpr kh = b.reduction(rows.taps), kw = b.reduction(columns.taps), o = b.reduction(outPerGroup);
  AffineExpr outChannel = b.channel(o, outPerGroup);
  b.input(
      g, {n, outChannel, h + kh * rows.positionStep + rows.position, v + kw * columns.positionStep + columns.position});
  b.input(l.operand(1), {outChannel, c, rows.last - kh * rows.tapStep, columns.last - kw * columns.tapStep});
  auto type = l.resultType().clone({x[0], x[1], rows.points, columns.points});
  return b.finish({n, c, h, v}, 1, type, productBody);
}

// Points of one phase after another, in both directions.
static Value interleavePhases(Lowering &l, ArrayRef<Value> phases, const Window &window) {
  ArrayRef<int64_t> x = l.resultType().getShape();
  Type element = l.resultType().getElementType();
  NestBuilder nest(l.builder, l.loc(), "interleave");
  SmallVector<AffineExpr> dims = nest.parallel(x);
  for (Value phase : phases)
    if (phase)
      nest.input(phase, {dims[0], dims[1], dims[2].floorDiv(window.strideH), dims[3].floorDiv(window.strideW)});
  nest.output(element, dims);
  auto body = [&](OpBuilder &b, Location loc, ValueRange in) -> Values {
    Scalars s{b, loc};
    Value row = s.index(dims[2] % window.strideH, x), column = s.index(dims[3] % window.strideW, x);
    Value result = s.constant(element, 0);
    for (auto [i, phase] : llvm::enumerate(phases)) {
      if (!phase) continue;
      Value here = s.both(s.equal(row, s.integer(i / window.strideW)), s.equal(column, s.integer(i % window.strideW)));
      result = s.select(here, in.front(), result);
      in = in.drop_front();
    }
    return {result};
  };
  return nest.create(body)->getResult(0);
}

constexpr int64_t mostPhases = 16; ///< each is a kernel

static Values conv2dInputGrad(Lowering &l) {
  Window window(l);
  Value g = l.operand(0);
  if (window.strideH * window.strideW > mostPhases) {
    g = dilate(l, g, window);
    window.strideH = window.strideW = 1;
  }
  ArrayRef<int64_t> x = l.resultType().getShape(), w = l.shape(1);
  SmallVector<Value> phases;
  for (int64_t row = 0; row < window.strideH; ++row)
    for (int64_t column = 0; column < window.strideW; ++column) {
      Phase rows(row, x[2], w[2], window.strideH, window.padH, window.dilationH);
      Phase columns(column, x[3], w[3], window.strideW, window.padW, window.dilationW);
      bool reached = rows.taps && columns.taps;
      phases.push_back(reached ? phaseOfInputGrad(l, g, rows, columns, window.groups) : Value());
    }
  return {phases.size() == 1 ? phases[0] : interleavePhases(l, phases, window)};
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
  return {b.finish({o, c, kh, kw}, 0, l.resultType(), productBody)};
}

ArrayRef<LowerEntry> convolutionLowerings() {
  static constexpr LowerEntry entries[] = {
      {"conv2d", conv2d}, {"conv2d_input_grad", conv2dInputGrad}, {"conv2d_weight_grad", conv2dWeightGrad}};
  return entries;
}

} // namespace tensorjit::lower_ops
