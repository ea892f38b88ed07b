#include "op/infer/Infer.h"

#include "tensorjit/error.h"

namespace tensorjit::infer {

namespace {
struct Window {
  Shape stride, padding, dilation;
  int64_t groups;
};
} // namespace

static Window readWindow(const InferCall &c, AttrReader &attrs) {
  Window w{attrs.ints(), attrs.ints(), attrs.ints(), attrs.integer()};
  static constexpr const char *counts[] = {"a number", "two numbers", "three numbers"};
  const size_t dims = w.stride.rank();
  if (dims < 1 || dims > 3) fail<value_error>(c, "stride " + w.stride.str() + ": one to three numbers expected");
  auto require = [&](const char *what, const Shape &list, int64_t least) {
    bool fits = list.rank() == dims;
    for (int64_t v : list) fits = fits && v >= least;
    if (!fits)
      fail<value_error>(c, std::string(what) + " " + list.str() + ": " + counts[dims - 1] + " of at least " +
                               std::to_string(least) + " expected");
  };
  require("stride", w.stride, 1);
  require("padding", w.padding, 0);
  require("dilation", w.dilation, 1);
  if (w.groups < 1) fail<value_error>(c, "groups must be at least 1, got " + std::to_string(w.groups));
  return w;
}

/// Sizes of the convolution of `x` with `weight`. Throws where they do not fit.
static Shape convolved(const InferCall &c, const Shape &x, const Shape &weight, const Window &w) {
  const size_t dims = w.stride.rank();
  static constexpr const char *inputs[] = {"3 [n x c x l]", "4 [n x c x h x w]", "5 [n x c x d x h x w]"};
  static constexpr const char *weights[] = {"3 [o x c x k]", "4 [o x c x kh x kw]", "5 [o x c x kd x kh x kw]"};
  if (x.rank() != dims + 2)
    fail<shape_error>(c, std::string("input of rank ") + inputs[dims - 1] + " expected, got " + x.str());
  if (weight.rank() != dims + 2)
    fail<shape_error>(c, std::string("weight of rank ") + weights[dims - 1] + " expected, got " + weight.str());
  const auto groups = std::to_string(w.groups);
  if (x[1] != weight[1] * w.groups)
    fail<shape_error>(c, "input " + x.str() + " has " + std::to_string(x[1]) + " channels, weight " + weight.str() +
                             " in " + groups + " group" + (w.groups > 1 ? "s" : "") + " expects " +
                             std::to_string(weight[1] * w.groups));
  if (weight[0] % w.groups != 0)
    fail<shape_error>(c, std::to_string(weight[0]) + " output channels do not divide into " + groups + " groups");
  Shape y{x[0], weight[0]};
  for (size_t i = 0; i < dims; ++i) {
    const int64_t span = w.dilation[i] * (weight[i + 2] - 1) + 1, room = x[i + 2] + 2 * w.padding[i] - span;
    if (weight[i + 2] < 1 || room < 0)
      fail<shape_error>(c, "a window of " + std::to_string(span) + " does not fit into size " +
                               std::to_string(x[i + 2]) + " padded by " + std::to_string(w.padding[i]));
    y.push_back(room / w.stride[i] + 1);
  }
  requireSizes(c, y);
  return y;
}

void conv(const InferCall &c) {
  requireSameDType(c);
  requireDType(c, 0, c.accepted);
  AttrReader attrs(c.attrs);
  const Window w = readWindow(c, attrs);
  const Shape y = convolved(c, c.sizes(0), c.sizes(1), w);
  if (c.operands.size() > 2 && c.sizes(2) != Shape({y[1]}))
    fail<shape_error>(c, "bias " + Shape({y[1]}).str() + " expected, got " + c.sizes(2).str());
  c.results[0] = {c.dtype(0), y};
}

static void requireGradient(const InferCall &c, const Shape &expected) {
  if (c.sizes(0) != expected) fail<shape_error>(c, "gradient " + expected.str() + " expected, got " + c.sizes(0).str());
}

void convInputGrad(const InferCall &c) {
  requireSameDType(c);
  requireDType(c, 0, c.accepted);
  AttrReader attrs(c.attrs);
  const Shape input = attrs.ints();
  requireSizes(c, input);
  requireGradient(c, convolved(c, input, c.sizes(1), readWindow(c, attrs)));
  c.results[0] = {c.dtype(0), input};
}

void convWeightGrad(const InferCall &c) {
  requireSameDType(c);
  requireDType(c, 0, c.accepted);
  AttrReader attrs(c.attrs);
  const Shape weight = attrs.ints();
  requireSizes(c, weight);
  requireGradient(c, convolved(c, c.sizes(1), weight, readWindow(c, attrs)));
  c.results[0] = {c.dtype(0), weight};
}

} // namespace tensorjit::infer
