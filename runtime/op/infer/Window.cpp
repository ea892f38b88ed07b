#include "op/infer/Infer.h"

#include "tensorjit/error.h"

namespace tensorjit::infer {

/// Sizes of a pooling of `x`: ceil mode keeps a last window that starts inside the padded input, not one that starts
/// in the padding behind it.
static Shape pooled(const InferCall &c, const Shape &x, AttrReader &attrs, bool hasCeilMode) {
  const Shape kernel = attrs.ints(), stride = attrs.ints(), padding = attrs.ints(), dilation = attrs.ints();
  const bool ceilMode = hasCeilMode && attrs.boolean();
  if (x.rank() != 4) fail<shape_error>(c, "input of rank 4 [n x c x h x w] expected, got " + x.str());
  for (const Shape *p : {&kernel, &stride, &padding, &dilation})
    if (p->rank() != 2) fail<value_error>(c, "two numbers expected, got " + p->str());
  Shape y{x[0], x[1], 0, 0};
  for (size_t i = 0; i < 2; ++i) {
    if (kernel[i] < 1 || stride[i] < 1 || dilation[i] < 1)
      fail<value_error>(c, "kernel " + kernel.str() + ", stride " + stride.str() + " and dilation " + dilation.str() +
                               " must be at least 1");
    const int64_t span = dilation[i] * (kernel[i] - 1) + 1;
    if (padding[i] < 0 || padding[i] > span / 2)
      fail<value_error>(c, "padding " + std::to_string(padding[i]) + " must be between 0 and half the window of " +
                               std::to_string(span));
    const int64_t size = x[i + 2], room = size + 2 * padding[i] - span;
    int64_t count = room < 0 ? 0 : room / stride[i] + 1;
    if (ceilMode && room >= 0 && room % stride[i] != 0 && count * stride[i] < size + padding[i]) ++count;
    if (ceilMode && room < 0 && size + padding[i] > 0 && size > 0 && room + stride[i] > 0) count = 1;
    if (count < 1)
      fail<shape_error>(c, "a window of " + std::to_string(span) + " does not fit into size " + std::to_string(size) +
                               " padded by " + std::to_string(padding[i]));
    y[i + 2] = count;
  }
  requireSizes(c, y);
  return y;
}

void maxPool2d(const InferCall &c) {
  requireDType(c, 0, c.accepted);
  AttrReader attrs(c.attrs);
  const Shape y = pooled(c, c.sizes(0), attrs, true);
  c.results[0] = {c.dtype(0), y};
  c.results[1] = {DType::I64, y};
}

void maxPool2dGrad(const InferCall &c) {
  AttrReader attrs(c.attrs);
  const Shape input = attrs.ints();
  requireSizes(c, input);
  if (c.dtype(1) != DType::I64) fail<type_error>(c, std::string("i64 positions expected, got ") + name(c.dtype(1)));
  if (c.sizes(0) != c.sizes(1))
    fail<shape_error>(c, "gradient " + c.sizes(0).str() + " and positions " + c.sizes(1).str() + " differ");
  if (input.rank() != 4 || c.sizes(0).rank() != 4 || input[0] != c.sizes(0)[0] || input[1] != c.sizes(0)[1])
    fail<shape_error>(c, "gradient " + c.sizes(0).str() + " does not belong to an input " + input.str());
  c.results[0] = {c.dtype(0), input};
}

} // namespace tensorjit::infer
