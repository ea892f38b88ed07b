// Forms of convolution: of signals, padded by name, transposed.
#include "core/Dispatch.h"
#include "core/InF32.h"
#include "core/Location.h"
#include "op/Normalize.h"
#include "op/infer/Infer.h"
#include "tensorjit/ops.h"

#include <algorithm>
#include <array>

namespace tensorjit {

using dispatch::CallScope;
using dispatch::fail;

PaddingMode::PaddingMode(const std::string &name, std::source_location loc) : kind_(name == "same" ? Same : Valid) {
  if (name != "same" && name != "valid")
    throw value_error("padding \"" + name + "\": \"same\" or \"valid\" expected" + dispatch::at(loc));
}

static IntPair besideOne(int64_t n) { return {1, n}; }
static IntPair besideZero(int64_t n) { return {0, n}; }

/// Throws what conv2d would, of the signals that the user gave.
static void checkConv1d(const CallScope &scope, const Tensor &x, const Tensor &w, const Tensor &b, int64_t stride,
                        int64_t padding, int64_t dilation, int64_t groups) {
  const DType type = dispatch::meet(scope, "conv1d", x, w, b);
  const std::array<TensorType, 3> operands{
      {{type, x.sizes()}, {type, w.sizes()}, {type, b.defined() ? b.sizes() : Shape()}}};
  Attrs attrs;
  for (int64_t v : {stride, padding, dilation}) attrs.addInts(Shape({v}));
  attrs.addInt(groups);
  TensorType result;
  atLine(scope.location(), [&] {
    infer::conv(
        {"conv1d", dtypes::floating, false, std::span(operands.data(), b.defined() ? 3 : 2), attrs, {&result, 1}});
  });
}

Tensor conv1d(const Tensor &x, const Tensor &w, const Tensor &b, int64_t stride, int64_t padding, int64_t dilation,
              int64_t groups, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "conv1d", "x", x);
  dispatch::requireDefined(scope, "conv1d", "weight", w);
  if (x.dim() == 2) return squeeze(conv1d(unsqueeze(x, 0), w, b, stride, padding, dilation, groups), 0);
  checkConv1d(scope, x, w, b, stride, padding, dilation, groups);
  return squeeze(conv2d(unsqueeze(x, -2), unsqueeze(w, -2), b, besideOne(stride), besideZero(padding),
                        besideOne(dilation), groups),
                 -2);
}

namespace {

/// What `kSame` and `kValid` come to: cells on both sides, and zeros that x gets behind first.
struct NamedPadding {
  Shape bothSides;
  Tensor x;
};

} // namespace

static NamedPadding named(const CallScope &scope, const char *op, const Tensor &x, const Tensor &w, PaddingMode mode,
                          const Shape &stride, const Shape &dilation) {
  dispatch::requireDefined(scope, op, "x", x);
  dispatch::requireDefined(scope, op, "weight", w);
  NamedPadding result{stride, x};
  std::fill(result.bothSides.begin(), result.bothSides.end(), 0);
  const size_t dims = stride.rank();
  if (mode.kind() == PaddingMode::Valid || w.sizes().rank() != dims + 2) return result;
  Shape behind;
  bool isUneven = false;
  for (size_t i = dims; i-- > 0;) {
    if (stride[i] != 1)
      fail<value_error>(scope, std::string(op) + ": padding \"same\" needs stride 1, got " + stride.str());
    const int64_t cells = dilation[i] * (w.sizes()[i + 2] - 1);
    result.bothSides[i] = std::max<int64_t>(0, cells / 2);
    behind.push_back(0);
    behind.push_back(std::max<int64_t>(0, cells % 2));
    isUneven |= cells % 2 != 0;
  }
  if (isUneven && x.sizes().rank() > dims) result.x = pad(x, behind);
  return result;
}

Tensor conv1d(const Tensor &x, const Tensor &w, const Tensor &b, int64_t stride, PaddingMode padding, int64_t dilation,
              int64_t groups, SourceLocation loc) {
  const CallScope scope(loc);
  const NamedPadding p = named(scope, "conv1d", x, w, padding, {stride}, {dilation});
  return conv1d(p.x, w, b, stride, p.bothSides[0], dilation, groups);
}
Tensor conv2d(const Tensor &x, const Tensor &w, const Tensor &b, IntPair stride, PaddingMode padding, IntPair dilation,
              int64_t groups, SourceLocation loc) {
  const CallScope scope(loc);
  const NamedPadding p = named(scope, "conv2d", x, w, padding, stride.shape(), dilation.shape());
  return conv2d(p.x, w, b, stride, {p.bothSides[0], p.bothSides[1]}, dilation, groups);
}
Tensor conv3d(const Tensor &x, const Tensor &w, const Tensor &b, const Dims &stride, PaddingMode padding,
              const Dims &dilation, int64_t groups, SourceLocation loc) {
  const CallScope scope(loc);
  auto triple = [&](const Shape &numbers) { return normalizeTriple(scope, "conv3d", numbers, {}); };
  const NamedPadding p = named(scope, "conv3d", x, w, padding, triple(stride), triple(dilation));
  return conv3d(p.x, w, b, stride, p.bothSides, dilation, groups);
}

namespace {

struct Transposed {
  const char *op;
  Shape stride, padding, outputPadding;
  int64_t groups;
  Shape dilation;
  size_t dims() const { return stride.rank(); }
};

} // namespace

/// Sizes of the result for an input with a batch dim. Throws where something does not fit.
static Shape transposedSizes(const CallScope &scope, const Tensor &x, const Tensor &w, const Tensor &b,
                             const Transposed &t) {
  const std::string op = std::string(t.op) + ": ";
  const Shape &in = x.sizes(), &weight = w.sizes();
  const auto rank = static_cast<int64_t>(t.dims()) + 2;
  if (x.dim() != rank)
    fail<shape_error>(scope, op + "input of rank " + std::to_string(rank) + " or " + std::to_string(rank - 1) +
                                 " expected, got " + in.str());
  if (w.dim() != rank)
    fail<shape_error>(scope, op + "weight of rank " + std::to_string(rank) + " expected, got " + weight.str());
  if (t.groups < 1) fail<value_error>(scope, op + "groups must be at least 1, got " + std::to_string(t.groups));
  if (in[1] != weight[0])
    fail<shape_error>(scope, op + "input " + in.str() + " has " + std::to_string(in[1]) + " channels, weight " +
                                 weight.str() + " expects " + std::to_string(weight[0]));
  if (in[1] % t.groups != 0)
    fail<shape_error>(scope, op + std::to_string(in[1]) + " channels do not divide into " + std::to_string(t.groups) +
                                 " groups");
  Shape out{in[0], weight[1] * t.groups};
  if (b.defined() && b.sizes() != Shape({out[1]}))
    fail<shape_error>(scope, op + "bias " + Shape({out[1]}).str() + " expected, got " + b.sizes().str());
  for (size_t i = 0; i < t.dims(); ++i) {
    const int64_t stride = t.stride[i], dilation = t.dilation[i], extra = t.outputPadding[i];
    if (stride < 1 || dilation < 1 || t.padding[i] < 0)
      fail<value_error>(scope, op + "stride " + t.stride.str() + " and dilation " + t.dilation.str() +
                                   " must be at least 1, padding " + t.padding.str() + " not negative");
    if (extra < 0 || extra >= std::max(stride, dilation))
      fail<value_error>(scope, op + "output_padding " + std::to_string(extra) + " must be below the larger of stride " +
                                   std::to_string(stride) + " and dilation " + std::to_string(dilation));
    const int64_t size = (in[i + 2] - 1) * stride - 2 * t.padding[i] + dilation * (weight[i + 2] - 1) + extra + 1;
    if (in[i + 2] < 1 || weight[i + 2] < 1 || size < 1)
      fail<shape_error>(scope, op + "input " + in.str() + ", weight " + weight.str() + " and padding " +
                                   t.padding.str() + " leave no result");
    out.push_back(size);
  }
  return out;
}

/// The gradient of a convolution from the sizes of `out` to those of x.
static Tensor inputGradient(const Tensor &x, const Tensor &w, const Shape &out, const Transposed &t) {
  const Shape &s = t.stride, &p = t.padding, &d = t.dilation;
  if (t.dims() == 3) return conv3d_input_grad(x, w, out, s, p, d, t.groups);
  if (t.dims() == 2)
    return conv2d_input_grad(x, w, out, {s[0], s[1]}, IntPair(p[0], p[1]), IntPair(d[0], d[1]), t.groups);
  const Tensor y = conv2d_input_grad(unsqueeze(x, -2), unsqueeze(w, -2), {out[0], out[1], 1, out[2]}, besideOne(s[0]),
                                     besideZero(p[0]), besideOne(d[0]), t.groups);
  return squeeze(y, -2);
}

static Tensor transposed(const CallScope &scope, const Tensor &x, const Tensor &w, const Tensor &b,
                         const Transposed &t) {
  dispatch::requireFloat(scope, t.op, x);
  dispatch::requireFloat(scope, t.op, w);
  if (x.sizes().rank() == t.dims() + 1) return squeeze(transposed(scope, unsqueeze(x, 0), w, b, t), 0);
  const Shape out = transposedSizes(scope, x, w, b, t);
  if (dispatch::anyHalf(x, w, b)) {
    auto wide = [&](const Tensor &half) { return dispatch::widened(half, scope); };
    return dispatch::narrowed(transposed(scope, wide(x), wide(w), wide(b), t), dispatch::meet(scope, t.op, x, w, b),
                              scope);
  }
  // Beyond a stride, the cells behind are those that more windows would reach.
  Shape behind;
  bool isLonger = false;
  for (size_t i = t.dims(); i-- > 0;) {
    behind.push_back(0);
    behind.push_back(t.outputPadding[i] / t.stride[i]);
    isLonger |= behind.back() > 0;
  }
  const Tensor y = inputGradient(isLonger ? pad(x, behind) : x, w, out, t);
  if (!b.defined()) return y;
  Shape alongChannels{out[1]};
  for (size_t i = 0; i < t.dims(); ++i) alongChannels.push_back(1);
  return add(y, reshape(b, alongChannels));
}

Tensor conv_transpose1d(const Tensor &x, const Tensor &w, const Tensor &b, int64_t stride, int64_t padding,
                        int64_t outputPadding, int64_t groups, int64_t dilation, SourceLocation loc) {
  const CallScope scope(loc);
  return transposed(scope, x, w, b, {"conv_transpose1d", {stride}, {padding}, {outputPadding}, groups, {dilation}});
}
Tensor conv_transpose2d(const Tensor &x, const Tensor &w, const Tensor &b, IntPair stride, IntPair padding,
                        IntPair outputPadding, int64_t groups, IntPair dilation, SourceLocation loc) {
  const CallScope scope(loc);
  return transposed(
      scope, x, w, b,
      {"conv_transpose2d", stride.shape(), padding.shape(), outputPadding.shape(), groups, dilation.shape()});
}
Tensor conv_transpose3d(const Tensor &x, const Tensor &w, const Tensor &b, const Dims &stride, const Dims &padding,
                        const Dims &outputPadding, int64_t groups, const Dims &dilation, SourceLocation loc) {
  const CallScope scope(loc);
  auto triple = [&](const Shape &numbers) { return normalizeTriple(scope, "conv_transpose3d", numbers, {}); };
  return transposed(
      scope, x, w, b,
      {"conv_transpose3d", triple(stride), triple(padding), triple(outputPadding), groups, triple(dilation)});
}

} // namespace tensorjit
