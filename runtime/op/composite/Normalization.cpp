// Layer, group, batch and root-mean-square normalisation.
#include "core/Dispatch.h"
#include "core/InF32.h"
#include "op/composite/Centred.h"
#include "tensorjit/ops.h"

#include <limits>

namespace tensorjit {

using dispatch::anyHalf;
using dispatch::CallScope;
using dispatch::fail;
using dispatch::meet;
using dispatch::narrowed;
using dispatch::requireFloat;
using dispatch::widened;

/// The dims of `normalized`, which x must end in.
static Shape lastDims(const CallScope &scope, const char *op, const Tensor &x, const Shape &normalized) {
  const int64_t lead = x.dim() - static_cast<int64_t>(normalized.rank());
  bool fits = lead >= 0 && !normalized.empty();
  for (size_t i = 0; fits && i < normalized.rank(); ++i) fits = x.size(lead + static_cast<int64_t>(i)) == normalized[i];
  if (!fits)
    fail<shape_error>(scope, std::string(op) + ": an input that ends in " + normalized.str() + " expected, got " +
                                 x.sizes().str());
  Shape dims;
  for (int64_t d = lead; d < x.dim(); ++d) dims.push_back(d);
  return dims;
}

static void requireSizes(const CallScope &scope, const char *op, const char *what, const Tensor &t,
                         const Shape &sizes) {
  if (t.defined() && t.sizes() != sizes)
    fail<shape_error>(scope,
                      std::string(op) + ": " + what + " of sizes " + sizes.str() + " expected, got " + t.sizes().str());
}

/// x * weight + bias, each where it is defined, as they broadcast against x.
static Tensor scaled(Tensor x, const Tensor &weight, const Tensor &bias) {
  if (weight.defined()) x = mul(x, weight);
  return bias.defined() ? add(x, bias) : x;
}

static Tensor normalized(const Centred &c, const Shape &dims, double eps) {
  const Tensor var = mean(square(c.values), dims, true);
  return mul(c.values, rsqrt(add(var, eps)));
}

Tensor layer_norm(const Tensor &x, const Shape &normalizedShape, const Tensor &weight, const Tensor &bias, double eps,
                  SourceLocation loc) {
  const CallScope scope(loc);
  requireFloat(scope, "layer_norm", x);
  if (anyHalf(x, weight, bias))
    return narrowed(
        layer_norm(widened(x, scope), normalizedShape, widened(weight, scope), widened(bias, scope), eps, loc),
        meet(scope, "layer_norm", x, weight, bias), scope);
  const Shape dims = lastDims(scope, "layer_norm", x, normalizedShape);
  requireSizes(scope, "layer_norm", "a weight", weight, normalizedShape);
  requireSizes(scope, "layer_norm", "a bias", bias, normalizedShape);
  if (x.numel() == 0) return mul(x, 1);
  return scaled(normalized(centred(x, dims), dims, eps), weight, bias);
}

Tensor rms_norm(const Tensor &x, const Shape &normalizedShape, const Tensor &weight, double eps, SourceLocation loc) {
  const CallScope scope(loc);
  requireFloat(scope, "rms_norm", x);
  if (anyHalf(x, weight))
    return narrowed(rms_norm(widened(x, scope), normalizedShape, widened(weight, scope), eps, loc),
                    meet(scope, "rms_norm", x, weight), scope);
  const Shape dims = lastDims(scope, "rms_norm", x, normalizedShape);
  requireSizes(scope, "rms_norm", "a weight", weight, normalizedShape);
  const double machine =
      x.dtype() == DType::F64 ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
  const Tensor r = rsqrt(add(mean(square(x), dims, true), eps < 0 ? machine : eps));
  return scaled(mul(x, r), weight, {});
}

/// A value a channel, laid along dim 1 of an input of `rank` dims.
static Tensor alongChannels(const Tensor &t, int64_t rank) {
  if (!t.defined()) return t;
  Shape sizes;
  for (int64_t d = 0; d < rank; ++d) sizes.push_back(d == 1 ? t.numel() : 1);
  return reshape(t, sizes);
}

static void requireChannels(const CallScope &scope, const char *op, const Tensor &x) {
  requireFloat(scope, op, x);
  if (x.dim() < 2)
    fail<shape_error>(scope, std::string(op) + ": an input [n x channels x ...] expected, got " + x.sizes().str());
}

Tensor group_norm(const Tensor &x, int64_t groups, const Tensor &weight, const Tensor &bias, double eps,
                  SourceLocation loc) {
  const CallScope scope(loc);
  requireChannels(scope, "group_norm", x);
  if (anyHalf(x, weight, bias))
    return narrowed(group_norm(widened(x, scope), groups, widened(weight, scope), widened(bias, scope), eps, loc),
                    meet(scope, "group_norm", x, weight, bias), scope);
  const int64_t channels = x.size(1);
  if (groups < 1) fail<value_error>(scope, "group_norm: groups must be at least 1, got " + std::to_string(groups));
  if (channels % groups != 0)
    fail<shape_error>(scope, "group_norm: " + std::to_string(channels) + " channels do not divide into " +
                                 std::to_string(groups) + " groups");
  requireSizes(scope, "group_norm", "a weight", weight, Shape({channels}));
  requireSizes(scope, "group_norm", "a bias", bias, Shape({channels}));
  if (x.numel() == 0) return mul(x, 1);
  const Tensor rows = reshape(x, {x.size(0) * groups, x.numel() / (x.size(0) * groups)});
  const Tensor y = reshape(normalized(centred(rows, {1}), {1}, eps), x.sizes());
  return scaled(y, alongChannels(weight, x.dim()), alongChannels(bias, x.dim()));
}

Tensor instance_norm(const Tensor &x, const Tensor &weight, const Tensor &bias, double eps, SourceLocation loc) {
  const CallScope scope(loc);
  requireFloat(scope, "instance_norm", x);
  if (x.dim() < 3)
    fail<shape_error>(scope, "instance_norm: an input [n x channels x space] expected, got " + x.sizes().str());
  if (x.numel() == x.size(0) * x.size(1) && x.numel() > 0)
    fail<shape_error>(scope, "instance_norm: more than one value a channel expected, got " + x.sizes().str());
  for (const auto &[what, t] : {std::pair("a weight", &weight), std::pair("a bias", &bias)})
    requireSizes(scope, "instance_norm", what, *t, Shape({x.size(1)}));
  if (x.numel() == 0) return mul(x, 1);
  return group_norm(x, x.size(1), weight, bias, eps);
}

std::tuple<Tensor, Tensor, Tensor> batch_norm_train(const Tensor &x, const Tensor &weight, const Tensor &bias,
                                                    double eps, SourceLocation loc) {
  const CallScope scope(loc);
  requireChannels(scope, "batch_norm", x);
  if (anyHalf(x, weight, bias)) { // the statistics stay f32
    auto [y, m, v] = batch_norm_train(widened(x, scope), widened(weight, scope), widened(bias, scope), eps, loc);
    return {narrowed(y, meet(scope, "batch_norm", x, weight, bias), scope), m, v};
  }
  const int64_t channels = x.size(1);
  requireSizes(scope, "batch_norm", "a weight", weight, Shape({channels}));
  requireSizes(scope, "batch_norm", "a bias", bias, Shape({channels}));
  if (x.numel() <= channels)
    fail<shape_error>(scope,
                      "batch_norm: more than one value a channel expected while training, got " + x.sizes().str());
  Shape dims{0};
  for (int64_t d = 2; d < x.dim(); ++d) dims.push_back(d);
  const Centred c = centred(x, dims);
  const Tensor var = mean(square(c.values), dims, true), y = mul(c.values, rsqrt(add(var, eps)));
  return {scaled(y, alongChannels(weight, x.dim()), alongChannels(bias, x.dim())), reshape(c.mean, {channels}),
          reshape(var, {channels})};
}

Tensor batch_norm(const Tensor &x, const Tensor &runningMean, const Tensor &runningVar, const Tensor &weight,
                  const Tensor &bias, double eps, SourceLocation loc) {
  const CallScope scope(loc);
  requireChannels(scope, "batch_norm", x);
  if (anyHalf(x, runningMean, runningVar, weight, bias))
    return narrowed(batch_norm(widened(x, scope), widened(runningMean, scope), widened(runningVar, scope),
                               widened(weight, scope), widened(bias, scope), eps, loc),
                    meet(scope, "batch_norm", x, weight, bias), scope);
  const Shape channels{x.size(1)};
  dispatch::requireDefined(scope, "batch_norm", "running_mean", runningMean);
  dispatch::requireDefined(scope, "batch_norm", "running_var", runningVar);
  requireSizes(scope, "batch_norm", "a running mean", runningMean, channels);
  requireSizes(scope, "batch_norm", "a running variance", runningVar, channels);
  requireSizes(scope, "batch_norm", "a weight", weight, channels);
  requireSizes(scope, "batch_norm", "a bias", bias, channels);
  const Tensor centre = sub(x, alongChannels(runningMean, x.dim()));
  const Tensor y = mul(centre, alongChannels(rsqrt(add(runningVar, eps)), x.dim()));
  return scaled(y, alongChannels(weight, x.dim()), alongChannels(bias, x.dim()));
}

} // namespace tensorjit
