// Poolings that are made of windows sums, and those whose windows follow from the size of the result.
#include "core/Dispatch.h"
#include "core/InF32.h"
#include "core/Location.h"
#include "op/Normalize.h"
#include "op/Windows.h"
#include "tensorjit/ops.h"
#include "trace/Recorder.h"

#include <algorithm>

namespace tensorjit {

using dispatch::CallScope;
using dispatch::fail;

/// Runs `pool` on x with a batch dim, which an input of one rank less lacks.
template <class Pool> static Tensor batched(const Tensor &x, int64_t dims, Pool pool) {
  return x.dim() == dims + 1 ? squeeze(pool(unsqueeze(x, 0)), 0) : pool(x);
}

std::tuple<Tensor, Tensor> max_pool1d_with_indices(const Tensor &x, int64_t kernel, std::optional<int64_t> stride,
                                                   int64_t padding, int64_t dilation, bool ceilMode,
                                                   SourceLocation loc) {
  const CallScope scope(loc);
  const char *op = "max_pool1d";
  dispatch::requireDefined(scope, op, "x", x);
  if (x.dim() == 2) {
    auto [y, at] = max_pool1d_with_indices(unsqueeze(x, 0), kernel, stride, padding, dilation, ceilMode);
    return {squeeze(y, 0), squeeze(at, 0)};
  }
  const int64_t step = stride.value_or(kernel);
  atLine(scope.location(), [&] {
    return pooledSizes(op, x.sizes(), {{kernel}, {step}, {padding}, {dilation}}, ceilMode);
  });
  auto [y, at] =
      max_pool2d_with_indices(unsqueeze(x, 2), {1, kernel}, IntPair(1, step), {0, padding}, {1, dilation}, ceilMode);
  return {squeeze(y, 2), squeeze(at, 2)};
}
Tensor max_pool1d(const Tensor &x, int64_t kernel, std::optional<int64_t> stride, int64_t padding, int64_t dilation,
                  bool ceilMode, SourceLocation loc) {
  return std::get<0>(max_pool1d_with_indices(x, kernel, stride, padding, dilation, ceilMode, loc));
}

namespace {

struct Average {
  Windows windows;
  bool ceilMode, countsPadding;
  std::optional<int64_t> divisor;
};

/// How many cells each of `n` windows counts along an axis of `size` cells.
struct CellCount {
  int64_t n, size, kernel, stride, padding;
  bool countsPadding;

  int64_t low() const { return countsPadding ? -padding : 0; }
  int64_t high() const { return countsPadding ? size + padding : size; }
  int64_t of(int64_t window) const {
    const int64_t first = window * stride - padding;
    return std::min(first + kernel, high()) - std::max(first, low());
  }
  /// The count of all windows, where they agree.
  std::optional<int64_t> common() const {
    if (padding == 0 && (n - 1) * stride + kernel <= size) return kernel;
    for (int64_t i = 1; i < n; ++i)
      if (of(i) != of(0)) return std::nullopt;
    return n > 0 ? of(0) : 1;
  }
  /// [n] as a float.
  Tensor each(DType type) const {
    const Tensor first = sub(mul(iota({n}, 0, DType::I64), stride), padding);
    return cast(sub(clamp_max(add(first, kernel), high()), clamp_min(first, low())), type);
  }
};

} // namespace

/// `sums` over the number of cells that each window counts.
static Tensor overCounts(const Tensor &sums, const Shape &x, const Average &a) {
  const Windows &w = a.windows;
  const trace::DeviceScope device(sums.device());
  int64_t common = 1;
  Tensor counts;
  for (size_t i = 0; i < w.kernel.rank(); ++i) {
    const CellCount count{
        sums.size(static_cast<int64_t>(i) + 2), x[i + 2], w.kernel[i], w.stride[i], w.padding[i], a.countsPadding};
    if (auto same = count.common()) {
      common *= *same;
      continue;
    }
    Shape sizes;
    for (size_t d = i; d < w.kernel.rank(); ++d) sizes.push_back(d == i ? count.n : 1);
    const Tensor each = reshape(count.each(sums.dtype()), sizes);
    counts = counts.defined() ? mul(counts, each) : each;
  }
  if (!counts.defined()) return div(sums, static_cast<double>(common));
  return div(sums, common == 1 ? counts : mul(counts, static_cast<double>(common)));
}

static Tensor average(const CallScope &scope, const char *op, const Tensor &x, const Average &a) {
  const Windows &w = a.windows;
  const size_t dims = w.kernel.rank();
  const Shape y = atLine(scope.location(), [&] { return pooledSizes(op, x.sizes(), w, a.ceilMode); });
  if (a.divisor == 0) fail<value_error>(scope, std::string(op) + ": the divisor must not be 0");
  if (dispatch::anyHalf(x))
    return dispatch::narrowed(average(scope, op, dispatch::widened(x, scope), a), x.dtype(), scope);
  Shape high;
  for (size_t i = 0; i < dims; ++i)
    high.push_back((y[i + 2] - 1) * w.stride[i] + w.kernel[i] - w.padding[i] - x.sizes()[i + 2]);
  const Tensor sums = window_sum(x, w.kernel, w.stride, w.padding, high, w.dilation);
  if (a.divisor) return div(sums, static_cast<double>(*a.divisor));
  return overCounts(sums, x.sizes(), a);
}

static Tensor avgPool(const CallScope &scope, const char *op, const Tensor &x, const Average &a) {
  dispatch::requireFloat(scope, op, x);
  return batched(x, static_cast<int64_t>(a.windows.kernel.rank()),
                 [&](const Tensor &images) { return average(scope, op, images, a); });
}

Tensor avg_pool1d(const Tensor &x, int64_t kernel, std::optional<int64_t> stride, int64_t padding, bool ceilMode,
                  bool countIncludePad, SourceLocation loc) {
  const CallScope scope(loc);
  const Windows windows{{kernel}, {stride.value_or(kernel)}, {padding}, {1}};
  return avgPool(scope, "avg_pool1d", x, {windows, ceilMode, countIncludePad, std::nullopt});
}

Tensor avg_pool2d(const Tensor &x, IntPair kernel, std::optional<IntPair> stride, IntPair padding, bool ceilMode,
                  bool countIncludePad, std::optional<int64_t> divisor, SourceLocation loc) {
  const CallScope scope(loc);
  const Windows windows{kernel.shape(), stride.value_or(kernel).shape(), padding.shape(), {1, 1}};
  return avgPool(scope, "avg_pool2d", x, {windows, ceilMode, countIncludePad, divisor});
}

Tensor avg_pool3d(const Tensor &x, const Dims &kernel, std::optional<Dims> stride, const Dims &padding, bool ceilMode,
                  bool countIncludePad, std::optional<int64_t> divisor, SourceLocation loc) {
  const CallScope scope(loc);
  auto triple = [&](const Shape &numbers) { return normalizeTriple(scope, "avg_pool3d", numbers, {}); };
  const Windows windows{triple(kernel), triple(stride.value_or(kernel)), triple(padding), {1, 1, 1}};
  return avgPool(scope, "avg_pool3d", x, {windows, ceilMode, countIncludePad, divisor});
}

/// The sizes of the result along `dims` dims of space. Throws for what is no input or no size.
static Shape adaptiveSizes(const CallScope &scope, const char *op, const Tensor &x, const Shape &given, size_t dims) {
  dispatch::requireDefined(scope, op, "x", x);
  Shape out = given;
  if (given.rank() == 1)
    for (size_t i = 1; i < dims; ++i) out.push_back(given[0]);
  if (out.rank() != dims)
    fail<value_error>(scope, std::string(op) + ": " + std::to_string(static_cast<int64_t>(dims)) +
                                 " output sizes or one expected, got " + given.str());
  for (int64_t o : out)
    if (o < 0) fail<value_error>(scope, std::string(op) + ": output size " + std::to_string(o) + " is negative");
  const auto rank = static_cast<int64_t>(dims);
  if (x.dim() != rank + 1 && x.dim() != rank + 2)
    fail<shape_error>(scope, std::string(op) + ": input of rank " + std::to_string(rank + 2) + " or " +
                                 std::to_string(rank + 1) + " expected, got " + x.sizes().str());
  for (int64_t d = x.dim() - rank; d < x.dim(); ++d)
    if (x.size(d) == 0)
      fail<shape_error>(scope, std::string(op) + ": dim " + std::to_string(d) + " of " + x.sizes().str() + " is empty");
  return out;
}

/// Windows of one size that share `space` out evenly among `out` cells; none where they do not.
static std::optional<Windows> evenWindows(const Shape &space, const Shape &out) {
  Windows w;
  for (size_t i = 0; i < out.rank(); ++i) {
    if (out[i] == 0 || space[i] % out[i] != 0) return std::nullopt;
    w.kernel.push_back(space[i] / out[i]);
    w.padding.push_back(0);
    w.dilation.push_back(1);
  }
  w.stride = w.kernel;
  return w;
}

namespace {

/// The windows along one axis of `n` cells for `o` results: floor(i n / o) to ceil((i + 1) n / o).
struct UnevenAxis {
  int64_t n, o;

  /// The most cells that any has.
  int64_t width() const {
    int64_t most = 1;
    for (int64_t i = 0; i < o; ++i) most = std::max(most, end(i) - i * n / o);
    return most;
  }
  int64_t end(int64_t i) const { return ((i + 1) * n + o - 1) / o; }
  /// [o x 1] each: the first cell, and the one behind the last.
  Tensor firsts() const { return floor_divide(mul(iota({o, 1}, 0, DType::I64), n), o); }
  Tensor ends() const { return floor_divide(add(mul(iota({o, 1}, 0, DType::I64), n), n + o - 1), o); }
  /// [o x width]: the cells of each window, and what would be beyond its end.
  Tensor cells() const { return add(firsts(), iota({1, width()}, 1, DType::I64)); }
};

} // namespace

/// `x` with dim `d` replaced by [o x width]: the cells of each window, the last one again where there are fewer.
static Tensor unfolded(const Tensor &x, int64_t d, const UnevenAxis &axis, const Tensor &cells) {
  const Tensor real = minimum(cells, sub(axis.ends(), 1));
  Shape sizes = x.sizes();
  sizes[static_cast<size_t>(d)] = axis.o;
  sizes.insert(static_cast<size_t>(d) + 1, axis.width());
  return reshape(index_select(x, d, reshape(real, {axis.o * axis.width()})), sizes);
}

static Tensor meanOfUneven(Tensor x, const Shape &out) {
  const trace::DeviceScope device(x.device());
  for (size_t i = 0; i < out.rank(); ++i) {
    const auto d = static_cast<int64_t>(i) + 2;
    const UnevenAxis axis{x.size(d), out[i]};
    if (axis.n == axis.o) continue;
    if (axis.o == 0) {
      x = narrow(x, d, 0, 0);
      continue;
    }
    const Tensor cells = axis.cells(), ends = axis.ends();
    Shape along, each;
    for (int64_t k = d; k < x.dim(); ++k) along.push_back(k == d ? axis.o : 1), each.push_back(k == d ? axis.o : 1);
    along.insert(1, axis.width());
    const Tensor kept = where(reshape(lt(cells, ends), along), unfolded(x, d, axis, cells), 0);
    x = div(sum(kept, {d + 1}), reshape(cast(sub(ends, axis.firsts()), x.dtype()), each));
  }
  return x;
}

static Tensor adaptiveAverage(const CallScope &scope, const char *op, const Tensor &x, const Shape &given,
                              size_t dims) {
  const Shape out = adaptiveSizes(scope, op, x, given, dims);
  dispatch::requireFloat(scope, op, x);
  if (dispatch::anyHalf(x))
    return dispatch::narrowed(adaptiveAverage(scope, op, dispatch::widened(x, scope), given, dims), x.dtype(), scope);
  const Shape space(std::span(x.sizes().end() - dims, dims));
  if (space == out) return mul(x, 1);
  if (out.numel() == 1) {
    Shape last;
    for (int64_t d = x.dim() - static_cast<int64_t>(dims); d < x.dim(); ++d) last.push_back(d);
    return mean(x, last, true);
  }
  return batched(x, static_cast<int64_t>(dims), [&](const Tensor &images) {
    if (auto even = evenWindows(space, out)) return average(scope, op, images, {*even, false, true, std::nullopt});
    return meanOfUneven(images, out);
  });
}

Tensor adaptive_avg_pool1d(const Tensor &x, const Dims &outputSize, SourceLocation loc) {
  const CallScope scope(loc);
  return adaptiveAverage(scope, "adaptive_avg_pool1d", x, outputSize, 1);
}
Tensor adaptive_avg_pool2d(const Tensor &x, const Dims &outputSize, SourceLocation loc) {
  const CallScope scope(loc);
  return adaptiveAverage(scope, "adaptive_avg_pool2d", x, outputSize, 2);
}
Tensor adaptive_avg_pool3d(const Tensor &x, const Dims &outputSize, SourceLocation loc) {
  const CallScope scope(loc);
  return adaptiveAverage(scope, "adaptive_avg_pool3d", x, outputSize, 3);
}

using ValuesAndPositions = std::tuple<Tensor, Tensor>;

/// Winners among the cells of uneven windows. A last cell that stands in for missing ones comes after itself, so that
/// it never wins another place.
static ValuesAndPositions maxOfUneven(Tensor x, const Shape &out) {
  const trace::DeviceScope device(x.device());
  const size_t dims = out.rank();
  const Shape space(std::span(x.sizes().begin() + 2, dims));
  Tensor positions = reshape(iota({space.numel()}, 0, DType::I64), space); // of the cells, as x unfolds
  Shape order{0, 1}, widths, results{x.size(0), x.size(1)};
  for (size_t i = 0; i < dims; ++i) {
    const UnevenAxis axis{space[i], out[i]};
    const auto d = static_cast<int64_t>(2 * i);
    const Tensor cells = axis.cells();
    x = unfolded(x, d + 2, axis, cells);
    positions = unfolded(positions, d, axis, cells);
    widths.push_back(axis.width());
    results.push_back(axis.o);
  }
  for (size_t half = 0; half < 2; ++half)
    for (size_t i = 0; i < dims; ++i) order.push_back(static_cast<int64_t>(2 * i + half) + 2);
  Shape windows = results;
  windows.push_back(widths.numel());
  Shape planeOrder;
  for (size_t i = 2; i < order.rank(); ++i) planeOrder.push_back(order[i] - 2);
  auto [y, at] = max(reshape(permute(x, order), windows), -1);
  Shape one = windows;
  one[0] = one[1] = 1;
  const Tensor places = broadcast_to(reshape(permute(positions, planeOrder), one), windows);
  return {y, squeeze(gather(places, -1, unsqueeze(at, -1)), -1)};
}

static ValuesAndPositions evenMax(const Tensor &x, const Windows &w) {
  const Shape &k = w.kernel;
  if (k.rank() == 1) return max_pool1d_with_indices(x, k[0]);
  if (k.rank() == 2) return max_pool2d_with_indices(x, {k[0], k[1]});
  return max_pool3d_with_indices(x, k);
}

static ValuesAndPositions adaptiveMax(const CallScope &scope, const char *op, const Tensor &x, const Shape &given,
                                      size_t dims) {
  const Shape out = adaptiveSizes(scope, op, x, given, dims);
  if (x.dtype() == DType::Bool) fail<type_error>(scope, std::string(op) + ": expected an integer or float, got bool");
  if (x.dim() == static_cast<int64_t>(dims) + 1) {
    auto [y, at] = adaptiveMax(scope, op, unsqueeze(x, 0), given, dims);
    return {squeeze(y, 0), squeeze(at, 0)};
  }
  const Shape space(std::span(x.sizes().end() - dims, dims));
  if (auto even = evenWindows(space, out)) return evenMax(x, *even);
  if (out.numel() == 0) {
    const trace::DeviceScope device(x.device());
    Tensor none = x;
    for (size_t i = 0; i < dims; ++i)
      none = index_select(none, static_cast<int64_t>(i) + 2, mul(iota({out[i]}, 0, DType::I64), 0));
    return {none, cast(none, DType::I64)};
  }
  return maxOfUneven(x, out);
}

ValuesAndPositions adaptive_max_pool1d_with_indices(const Tensor &x, const Dims &outputSize, SourceLocation loc) {
  const CallScope scope(loc);
  return adaptiveMax(scope, "adaptive_max_pool1d", x, outputSize, 1);
}
ValuesAndPositions adaptive_max_pool2d_with_indices(const Tensor &x, const Dims &outputSize, SourceLocation loc) {
  const CallScope scope(loc);
  return adaptiveMax(scope, "adaptive_max_pool2d", x, outputSize, 2);
}
ValuesAndPositions adaptive_max_pool3d_with_indices(const Tensor &x, const Dims &outputSize, SourceLocation loc) {
  const CallScope scope(loc);
  return adaptiveMax(scope, "adaptive_max_pool3d", x, outputSize, 3);
}
Tensor adaptive_max_pool1d(const Tensor &x, const Dims &outputSize, SourceLocation loc) {
  return std::get<0>(adaptive_max_pool1d_with_indices(x, outputSize, loc));
}
Tensor adaptive_max_pool2d(const Tensor &x, const Dims &outputSize, SourceLocation loc) {
  return std::get<0>(adaptive_max_pool2d_with_indices(x, outputSize, loc));
}
Tensor adaptive_max_pool3d(const Tensor &x, const Dims &outputSize, SourceLocation loc) {
  return std::get<0>(adaptive_max_pool3d_with_indices(x, outputSize, loc));
}

} // namespace tensorjit
