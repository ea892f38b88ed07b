// Resizing, one axis after another.
#include "core/Dispatch.h"
#include "core/InF32.h"
#include "tensorjit/nn/functional.h"
#include "tensorjit/ops.h"
#include "trace/Recorder.h"

#include <array>
#include <cmath>

namespace tensorjit::nn::functional {

using dispatch::CallScope;

namespace {

enum class Resampling { Nearest, NearestExact, Linear, Area };

/// One axis: cells before and after, and the factor that was asked for, if it was not the size.
struct Axis {
  int64_t dim, in, out;
  std::optional<double> factor;

  /// Cells of the input for one of the result.
  double scale() const { return factor ? 1 / *factor : static_cast<double>(in) / static_cast<double>(out); }
};

template <class E> [[noreturn]] void refuse(const CallScope &scope, const std::string &why) {
  dispatch::fail<E>(scope, "interpolate: " + why);
}

Resampling resampling(const CallScope &scope, const std::string &mode, const Tensor &x) {
  constexpr std::array<const char *, 3> linear{"linear", "bilinear", "trilinear"};
  for (size_t i = 0; i < linear.size(); ++i) {
    if (mode != linear[i]) continue;
    if (x.sizes().rank() != i + 3)
      refuse<shape_error>(scope,
                          mode + " takes an input of rank " + std::to_string(i + 3) + ", got " + x.sizes().str());
    return Resampling::Linear;
  }
  if (mode == "nearest") return Resampling::Nearest;
  if (mode == "nearest-exact") return Resampling::NearestExact;
  if (mode == "area") return Resampling::Area;
  if (mode == "bicubic") refuse<not_supported>(scope, "mode bicubic");
  refuse<value_error>(scope,
                      "mode \"" + mode + "\": nearest, nearest-exact, linear, bilinear, trilinear or area expected");
}

std::vector<Axis> axesOf(const CallScope &scope, const Tensor &x, const InterpolateFuncOptions &o) {
  if (o.size().has_value() == o.scale_factor().has_value())
    refuse<value_error>(scope, "either size or scale_factor expected");
  const size_t dims = x.sizes().rank() - 2;
  const size_t given = o.size() ? o.size()->rank() : o.scale_factor()->size();
  if (given != 1 && given != dims)
    refuse<value_error>(scope, std::to_string(dims) + " sizes or factors expected, got " + std::to_string(given));
  std::vector<Axis> axes;
  for (size_t i = 0; i < dims; ++i) {
    const size_t at = given == 1 ? 0 : i;
    Axis a{static_cast<int64_t>(i) + 2, x.sizes()[i + 2], 0, std::nullopt};
    if (o.size()) {
      a.out = (*o.size())[at];
    } else {
      const double factor = (*o.scale_factor())[at], size = std::floor(static_cast<double>(a.in) * factor);
      if (!(factor > 0) || !(size < 1e15)) refuse<value_error>(scope, "a positive scale_factor expected");
      a.factor = factor;
      a.out = static_cast<int64_t>(size);
    }
    if (a.out < 1) refuse<value_error>(scope, "result of size " + std::to_string(a.out));
    if (a.in < 1) refuse<shape_error>(scope, "dim " + std::to_string(a.dim) + " of " + x.sizes().str() + " is empty");
    axes.push_back(a);
  }
  return axes;
}

Tensor positions(const Axis &a) { return cast(iota({a.out}, 0, DType::I64), DType::F64); }

Tensor takeNearest(const Tensor &x, const Axis &a, double offset) {
  if (a.in == a.out && !a.factor) return x;
  const Tensor at = offset == 0 && !a.factor ? floor_divide(mul(iota({a.out}, 0, DType::I64), a.in), a.out)
                                             : cast(floor(mul(add(positions(a), offset), a.scale())), DType::I64);
  return index_select(x, a.dim, clamp(at, 0, a.in - 1));
}

/// Where the cells of the result lie among those of the input.
Tensor sources(const Axis &a, bool alignCorners) {
  if (!alignCorners) return clamp_min(sub(mul(add(positions(a), 0.5), a.scale()), 0.5), 0.0);
  return mul(positions(a), a.out > 1 ? static_cast<double>(a.in - 1) / static_cast<double>(a.out - 1) : 0.0);
}

Tensor weigh(const Tensor &x, const Axis &a, bool alignCorners) {
  if (a.in == a.out && !a.factor) return x;
  const Tensor at = sources(a, alignCorners), low = clamp_max(floor(at), static_cast<double>(a.in - 1));
  const Tensor first = cast(low, DType::I64), second = clamp_max(add(first, 1), a.in - 1);
  Shape along;
  for (int64_t d = a.dim; d < x.dim(); ++d) along.push_back(d == a.dim ? a.out : 1);
  const Tensor share = reshape(cast(sub(at, low), x.dtype()), along);
  return add(mul(index_select(x, a.dim, first), sub(1, share)), mul(index_select(x, a.dim, second), share));
}

Tensor areaMeans(const Tensor &x, const std::vector<Axis> &axes, const SourceLocation &loc) {
  Dims out;
  for (const Axis &a : axes) out.push_back(a.out);
  if (axes.size() == 1) return tensorjit::adaptive_avg_pool1d(x, out, loc);
  return axes.size() == 2 ? tensorjit::adaptive_avg_pool2d(x, out, loc) : tensorjit::adaptive_avg_pool3d(x, out, loc);
}

} // namespace

Tensor interpolate(const Tensor &x, const InterpolateFuncOptions &o, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "interpolate", "x", x);
  if (x.dim() < 3 || x.dim() > 5)
    refuse<shape_error>(scope,
                        "an input [n x c x space] of one to three dims of space expected, got " + x.sizes().str());
  const Resampling how = resampling(scope, o.mode(), x);
  if (how == Resampling::Linear || how == Resampling::Area) dispatch::requireFloat(scope, "interpolate", x);
  else if (o.align_corners()) refuse<value_error>(scope, "align_corners is of the linear modes");
  const std::vector<Axis> axes = axesOf(scope, x, o);
  if (how == Resampling::Area) return areaMeans(x, axes, loc);
  const trace::DeviceScope device(x.device());
  Tensor y = how == Resampling::Linear ? dispatch::widened(x, scope) : x;
  for (const Axis &a : axes)
    y = how == Resampling::Linear ? weigh(y, a, o.align_corners())
                                  : takeNearest(y, a, how == Resampling::Nearest ? 0 : 0.5);
  return how == Resampling::Linear ? dispatch::narrowed(y, x.dtype(), scope) : y;
}

} // namespace tensorjit::nn::functional
