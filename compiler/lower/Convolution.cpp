// Convolution and its gradients as contractions. Images are NCHW here; compiler/layout moves channels last.
#include "kernel/AffineRange.h"
#include "lower/Lowering.h"
#include "lower/Scalars.h"

#include <numeric>

namespace tensorjit::lower_ops {

namespace {

struct Window {
  SmallVector<int64_t> stride;
  ArrayRef<int64_t> padding, dilation;
  int64_t groups;

  explicit Window(Lowering &l)
      : stride(l.integers("stride")), padding(l.integers("padding")), dilation(l.integers("dilation")),
        groups(l.integer("groups")) {}
  unsigned dims() const { return stride.size(); }
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
  SmallVector<AffineExpr> parallel(ArrayRef<int64_t> all) {
    return llvm::map_to_vector(all, [&](int64_t size) { return parallel(size); });
  }
  SmallVector<AffineExpr> reduction(ArrayRef<int64_t> all) {
    return llvm::map_to_vector(all, [&](int64_t size) { return reduction(size); });
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

// [first, second, space...]
static SmallVector<AffineExpr> at(AffineExpr first, AffineExpr second, ArrayRef<AffineExpr> space) {
  SmallVector<AffineExpr> index{first, second};
  index.append(space.begin(), space.end());
  return index;
}

// The cells of the input that tap `k` of window `y` reads.
static SmallVector<AffineExpr> cells(ArrayRef<AffineExpr> y, ArrayRef<AffineExpr> k, const Window &w) {
  SmallVector<AffineExpr> result;
  for (unsigned i = 0; i < w.dims(); ++i) result.push_back(y[i] * w.stride[i] + k[i] * w.dilation[i] - w.padding[i]);
  return result;
}

static Values conv(Lowering &l) {
  Window window(l);
  ArrayRef<int64_t> y = l.resultType().getShape(), w = l.shape(1);
  Builder b(l, window.groups);
  AffineExpr n = b.parallel(y[0]);
  b.addGroupDim();
  SmallVector<AffineExpr> out = b.parallel(y.drop_front(2));
  AffineExpr o = b.parallel(y[1] / window.groups);
  SmallVector<AffineExpr> k = b.reduction(w.drop_front(2));
  AffineExpr c = b.reduction(w[1]);
  b.input(l.operand(0), at(n, b.channel(c, w[1]), cells(out, k, window)));
  AffineExpr outChannel = b.channel(o, y[1] / window.groups);
  b.input(l.operand(1), at(outChannel, c, k));
  if (l.has(2)) b.input(l.operand(2), {outChannel});
  return {b.finish(at(n, o, out), 1, l.resultType(), productBody)};
}

// g with stride - 1 zeros between neighbours, so that a strided convolution's gradient is one of stride 1.
static Value dilate(Lowering &l, Value g, const Window &window) {
  if (llvm::all_equal(window.stride) && window.stride[0] == 1) return g;
  auto type = cast<RankedTensorType>(g.getType());
  SmallVector<int64_t> sizes(type.getShape());
  for (unsigned i = 0; i < window.dims(); ++i)
    sizes[i + 2] = sizes[i + 2] ? (sizes[i + 2] - 1) * window.stride[i] + 1 : 0;
  NestBuilder nest(l.builder, l.loc(), "dilate");
  SmallVector<AffineExpr> dims = nest.parallel(sizes), index(dims);
  for (unsigned i = 0; i < window.dims(); ++i) index[i + 2] = dims[i + 2].floorDiv(window.stride[i]);
  nest.input(g, index);
  nest.output(type.getElementType(), dims);
  auto body = [&](OpBuilder &b, Location loc, ValueRange in) -> Values {
    Scalars s{b, loc};
    Value isElement;
    for (unsigned i = 0; i < window.dims(); ++i) {
      Value whole = s.equal(s.index(dims[i + 2] % window.stride[i], sizes), s.integer(0));
      isElement = isElement ? s.both(isElement, whole) : whole;
    }
    return {s.select(isElement, in[0], s.constant(in[0].getType(), 0))};
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
static Value phaseOfInputGrad(Lowering &l, Value g, ArrayRef<Phase> phase, int64_t groups) {
  ArrayRef<int64_t> x = l.resultType().getShape(), w = l.shape(1);
  Builder b(l, groups);
  int64_t outPerGroup = w[0] / groups;
  SmallVector<int64_t> points = llvm::map_to_vector(phase, [](const Phase &p) { return p.points; });
  SmallVector<int64_t> taps = llvm::map_to_vector(phase, [](const Phase &p) { return p.taps; });
  AffineExpr n = b.parallel(x[0]);
  b.addGroupDim();
  SmallVector<AffineExpr> space = b.parallel(points);
  AffineExpr c = b.parallel(w[1]);
  SmallVector<AffineExpr> k = b.reduction(taps);
  AffineExpr o = b.reduction(outPerGroup);
  AffineExpr outChannel = b.channel(o, outPerGroup);
  SmallVector<AffineExpr> met, tap;
  for (auto [i, p] : llvm::enumerate(phase)) {
    met.push_back(space[i] + k[i] * p.positionStep + p.position);
    tap.push_back(p.last - k[i] * p.tapStep);
  }
  b.input(g, at(n, outChannel, met));
  b.input(l.operand(1), at(outChannel, c, tap));
  SmallVector<int64_t> sizes{x[0], x[1]};
  sizes.append(points);
  return b.finish(at(n, c, space), 1, l.resultType().clone(sizes), productBody);
}

// Of phase number `phase`, the phase along each axis, the last axis running fastest.
static SmallVector<int64_t> phaseOfEachAxis(int64_t phase, const Window &window) {
  SmallVector<int64_t> result(window.dims());
  for (unsigned i = window.dims(); i-- > 0; phase /= window.stride[i]) result[i] = phase % window.stride[i];
  return result;
}

// Points of one phase after another, in all directions.
static Value interleavePhases(Lowering &l, ArrayRef<Value> phases, const Window &window) {
  ArrayRef<int64_t> x = l.resultType().getShape();
  Type element = l.resultType().getElementType();
  NestBuilder nest(l.builder, l.loc(), "interleave");
  SmallVector<AffineExpr> dims = nest.parallel(x), index(dims);
  for (unsigned i = 0; i < window.dims(); ++i) index[i + 2] = dims[i + 2].floorDiv(window.stride[i]);
  for (Value phase : phases)
    if (phase) nest.input(phase, index);
  nest.output(element, dims);
  auto body = [&](OpBuilder &b, Location loc, ValueRange in) -> Values {
    Scalars s{b, loc};
    SmallVector<Value> own;
    for (unsigned i = 0; i < window.dims(); ++i) own.push_back(s.index(dims[i + 2] % window.stride[i], x));
    Value result = s.constant(element, 0);
    for (auto [number, phase] : llvm::enumerate(phases)) {
      if (!phase) continue;
      Value here;
      for (auto [mine, its] : llvm::zip(own, phaseOfEachAxis(number, window))) {
        Value same = s.equal(mine, s.integer(its));
        here = here ? s.both(here, same) : same;
      }
      result = s.select(here, in.front(), result);
      in = in.drop_front();
    }
    return {result};
  };
  return nest.create(body)->getResult(0);
}

constexpr int64_t mostPhases = 16; ///< each is a kernel

static Values convInputGrad(Lowering &l) {
  Window window(l);
  Value g = l.operand(0);
  if (ShapedType::getNumElements(window.stride) > mostPhases) {
    g = dilate(l, g, window);
    llvm::fill(window.stride, 1);
  }
  ArrayRef<int64_t> x = l.resultType().getShape(), w = l.shape(1);
  SmallVector<Value> phases;
  for (int64_t number = 0, n = ShapedType::getNumElements(window.stride); number < n; ++number) {
    SmallVector<Phase> phase;
    for (auto [i, own] : llvm::enumerate(phaseOfEachAxis(number, window)))
      phase.emplace_back(own, x[i + 2], w[i + 2], window.stride[i], window.padding[i], window.dilation[i]);
    bool reached = llvm::all_of(phase, [](const Phase &p) { return p.taps > 0; });
    phases.push_back(reached ? phaseOfInputGrad(l, g, phase, window.groups) : Value());
  }
  return {phases.size() == 1 ? phases[0] : interleavePhases(l, phases, window)};
}

static Values convWeightGrad(Lowering &l) {
  Window window(l);
  ArrayRef<int64_t> g = l.shape(0), w = l.resultType().getShape();
  Builder b(l, window.groups);
  b.addGroupDim();
  int64_t outPerGroup = w[0] / window.groups;
  SmallVector<AffineExpr> k = b.parallel(w.drop_front(2));
  AffineExpr c = b.parallel(w[1]), o = b.parallel(outPerGroup);
  AffineExpr n = b.reduction(g[0]);
  SmallVector<AffineExpr> out = b.reduction(g.drop_front(2));
  b.input(l.operand(1), at(n, b.channel(c, w[1]), cells(out, k, window)));
  b.input(l.operand(0), at(n, b.channel(o, outPerGroup), out));
  return {b.finish(at(o, c, k), 0, l.resultType(), productBody)};
}

ArrayRef<LowerEntry> convolutionLowerings() {
  static constexpr LowerEntry entries[] = {
      {"conv2d", conv}, {"conv2d_input_grad", convInputGrad}, {"conv2d_weight_grad", convWeightGrad},
      {"conv3d", conv}, {"conv3d_input_grad", convInputGrad}, {"conv3d_weight_grad", convWeightGrad}};
  return entries;
}

} // namespace tensorjit::lower_ops
