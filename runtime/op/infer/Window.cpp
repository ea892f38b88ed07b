#include "op/Windows.h"
#include "op/infer/Infer.h"

#include "tensorjit/error.h"

namespace tensorjit {

static void requireNumbers(const char *op, const Shape &kernel, const Shape &stride, const Shape &dilation,
                           std::initializer_list<const Shape *> padding) {
  static constexpr const char *counts[] = {"one number", "two numbers", "three numbers"};
  const size_t dims = kernel.rank();
  if (dims < 1 || dims > 3)
    throw value_error(std::string(op) + ": one to three numbers expected for the kernel, got " + kernel.str());
  auto requireLength = [&](const Shape &list) {
    if (list.rank() != dims)
      throw value_error(std::string(op) + ": " + counts[dims - 1] + " expected, got " + list.str());
  };
  requireLength(stride);
  requireLength(dilation);
  for (const Shape *list : padding) requireLength(*list);
  for (size_t i = 0; i < dims; ++i)
    if (kernel[i] < 1 || stride[i] < 1 || dilation[i] < 1)
      throw value_error(std::string(op) + ": kernel " + kernel.str() + ", stride " + stride.str() + " and dilation " +
                        dilation.str() + " must be at least 1");
}

static void requireSpace(const char *op, const Shape &x, size_t dims) {
  static constexpr const char *letters[] = {"l", "h x w", "d x h x w"};
  if (x.rank() != dims + 2)
    throw shape_error(std::string(op) + ": input of rank " + std::to_string(static_cast<int64_t>(dims) + 2) +
                      " [n x c x " + letters[dims - 1] + "] expected, got " + x.str());
}

Shape pooledSizes(const char *op, const Shape &x, const Windows &w, bool ceilMode) {
  const size_t dims = w.kernel.rank();
  requireNumbers(op, w.kernel, w.stride, w.dilation, {&w.padding});
  requireSpace(op, x, dims);
  Shape y{x[0], x[1]};
  for (size_t i = 0; i < dims; ++i) {
    const int64_t span = w.reach(i), stride = w.stride[i], padding = w.padding[i];
    if (padding < 0 || padding > span / 2)
      throw value_error(std::string(op) + ": padding " + std::to_string(padding) +
                        " must be between 0 and half the window of " + std::to_string(span));
    const int64_t size = x[i + 2], room = size + 2 * padding - span;
    int64_t count = room < 0 ? 0 : room / stride + 1;
    if (ceilMode && room >= 0 && room % stride != 0 && count * stride < size + padding) ++count;
    if (ceilMode && room < 0 && size + padding > 0 && size > 0 && room + stride > 0) count = 1;
    if (count < 1)
      throw shape_error(std::string(op) + ": a window of " + std::to_string(span) + " does not fit into size " +
                        std::to_string(size) + " padded by " + std::to_string(padding));
    y.push_back(count);
  }
  return y;
}

namespace infer {

static Windows readWindows(AttrReader &attrs) { return {attrs.ints(), attrs.ints(), attrs.ints(), attrs.ints()}; }

void maxPool(const InferCall &c) {
  requireDType(c, 0, c.accepted);
  AttrReader attrs(c.attrs);
  const Windows windows = readWindows(attrs);
  const Shape y = pooledSizes(c.op, c.sizes(0), windows, attrs.boolean());
  requireSizes(c, y);
  c.results[0] = {c.dtype(0), y};
  c.results[1] = {DType::I64, y};
}

void maxPoolGrad(const InferCall &c) {
  AttrReader attrs(c.attrs);
  const Shape input = attrs.ints();
  requireSizes(c, input);
  const Windows windows = readWindows(attrs);
  requireNumbers(c.op, windows.kernel, windows.stride, windows.dilation, {&windows.padding});
  const size_t rank = windows.kernel.rank() + 2;
  if (c.dtype(1) != DType::I64) fail<type_error>(c, std::string("i64 positions expected, got ") + name(c.dtype(1)));
  if (c.sizes(0) != c.sizes(1))
    fail<shape_error>(c, "gradient " + c.sizes(0).str() + " and positions " + c.sizes(1).str() + " differ");
  if (input.rank() != rank || c.sizes(0).rank() != rank || input[0] != c.sizes(0)[0] || input[1] != c.sizes(0)[1])
    fail<shape_error>(c, "gradient " + c.sizes(0).str() + " does not belong to an input " + input.str());
  c.results[0] = {c.dtype(0), input};
}

/// Sizes of the window sums of `x`.
static Shape summed(const InferCall &c, const Shape &x, AttrReader &attrs) {
  const Shape kernel = attrs.ints(), stride = attrs.ints(), low = attrs.ints(), high = attrs.ints();
  const Shape dilation = attrs.ints();
  const size_t dims = kernel.rank();
  requireNumbers(c.op, kernel, stride, dilation, {&low, &high});
  requireSpace(c.op, x, dims);
  Shape y{x[0], x[1]};
  for (size_t i = 0; i < dims; ++i) {
    const int64_t span = dilation[i] * (kernel[i] - 1) + 1, room = x[i + 2] + low[i] + high[i] - span;
    if (low[i] < 0) fail<value_error>(c, "low " + low.str() + " must not be negative");
    if (room < 0)
      fail<shape_error>(c, "a window of " + std::to_string(span) + " does not fit into size " +
                               std::to_string(x[i + 2]) + " padded by " + std::to_string(low[i]) + " and " +
                               std::to_string(high[i]));
    y.push_back(room / stride[i] + 1);
  }
  requireSizes(c, y);
  return y;
}

void windowSum(const InferCall &c) {
  requireDType(c, 0, c.accepted);
  AttrReader attrs(c.attrs);
  c.results[0] = {c.dtype(0), summed(c, c.sizes(0), attrs)};
}

void windowSumBackward(const InferCall &c) {
  requireDType(c, 0, c.accepted);
  AttrReader attrs(c.attrs);
  const Shape input = attrs.ints();
  requireSizes(c, input);
  const Shape expected = summed(c, input, attrs);
  if (c.sizes(0) != expected) fail<shape_error>(c, "gradient " + expected.str() + " expected, got " + c.sizes(0).str());
  c.results[0] = {c.dtype(0), input};
}

} // namespace infer
} // namespace tensorjit
