// Losses over classes in the forms that the ops do not take.
#include "core/Dispatch.h"
#include "core/InF32.h"
#include "core/NumberText.h"
#include "op/Adapt.h"
#include "tensorjit/ops.h"
#include "trace/Recorder.h"

namespace tensorjit {

namespace {

using dispatch::anyHalf;
using dispatch::CallScope;
using dispatch::fail;
using dispatch::meet;
using dispatch::narrowed;
using dispatch::widened;

/// Rows of classes: dims behind the classes, or none before them, become rows.
struct Rows {
  Tensor x, target;
  Shape losses; ///< sizes of the losses without reduction
};

Rows rowsOf(const CallScope &scope, const char *op, const Tensor &x, const Tensor &target) {
  const SourceLocation &loc = scope.location();
  if (x.dim() == 1) {
    if (target.dim() != 0)
      fail<shape_error>(scope, std::string(op) + ": a target of rank 0 expected beside " + x.sizes().str() + ", got " +
                                   target.sizes().str());
    return {unsqueeze(x, 0, loc), unsqueeze(target, 0, loc), {}};
  }
  Shape expected = x.sizes();
  expected.erase(1);
  if (target.sizes() != expected)
    fail<shape_error>(scope, std::string(op) + ": a target of sizes " + expected.str() + " expected beside " +
                                 x.sizes().str() + ", got " + target.sizes().str());
  Shape order{0};
  for (int64_t d = 2; d < x.dim(); ++d) order.push_back(d);
  order.push_back(1);
  return {reshape(permute(x, order, loc), {expected.numel(), x.size(1)}, loc), reshape(target, {expected.numel()}, loc),
          expected};
}

bool isRows(const Tensor &x, const Tensor &target) {
  return !x.defined() || !target.defined() || x.dim() == 2 || x.dim() == 0;
}

void requireWeight(const CallScope &scope, const char *op, const Tensor &x, const Tensor &weight) {
  const int64_t classes = x.size(x.dim() == 1 ? 0 : 1);
  if (weight.sizes() != Shape({classes}))
    fail<shape_error>(scope, std::string(op) + ": a weight of sizes [" + std::to_string(classes) + "] expected, got " +
                                 weight.sizes().str());
}

void requireSmoothing(const CallScope &scope, double e) {
  if (!(e >= 0 && e <= 1))
    fail<value_error>(scope, "cross_entropy: label_smoothing must lie in [0, 1], got " + numberText(e));
}

/// Losses of the rows in the form that the caller gave them, or their sum over the sum of the rows' weights.
Tensor reduceWeighted(const Tensor &rows, const Tensor &weights, Reduction reduction, const Shape &losses,
                      const SourceLocation &loc) {
  if (reduction == Reduction::None) return reshape(rows, losses, loc);
  const Tensor total = sum(rows, {}, false, std::nullopt, loc);
  return reduction == Reduction::Sum ? total : div(total, sum(weights, {}, false, std::nullopt, loc), loc);
}

/// The weight of each row's class; 0 for rows that do not count.
Tensor weightOfTargets(const Rows &r, const Tensor &weight, int64_t ignored, const SourceLocation &loc) {
  const Tensor target = unsqueeze(r.target, 1, loc);
  const trace::DeviceScope device(r.x.device());
  const Tensor hit = eq(iota({1, r.x.size(1)}, 1, r.target.dtype(), loc), target, loc);
  return sum(where(logical_and(hit, ne(target, ignored, loc), loc), weight, 0, loc), 1, false, std::nullopt, loc);
}

/// -sum over classes of w * p * log_softmax(x), with p the target mixed with the uniform distribution.
Tensor againstProbabilities(const CallScope &scope, const Tensor &x, const Tensor &target, const Tensor &weight,
                            Reduction reduction, double smoothing) {
  const SourceLocation &loc = scope.location();
  if (target.sizes() != x.sizes())
    fail<shape_error>(scope, "cross_entropy: probabilities of sizes " + x.sizes().str() + " expected, got " +
                                 target.sizes().str());
  requireSmoothing(scope, smoothing);
  const int64_t dim = x.dim() == 1 ? 0 : 1, classes = x.size(dim);
  Tensor p = target;
  if (smoothing != 0) p = add(mul(p, 1 - smoothing, loc), smoothing / static_cast<double>(classes), loc);
  if (weight.defined()) {
    Shape along;
    for (int64_t d = 0; d < x.dim(); ++d) along.push_back(d == dim ? classes : 1);
    p = mul(p, reshape(weight, along, loc), loc);
  }
  const Tensor rows = neg(sum(mul(p, log_softmax(x, dim, std::nullopt, loc), loc), dim, false, std::nullopt, loc), loc);
  return reduced_loss(rows, reduction);
}

} // namespace

Tensor nll_loss(const Tensor &x, const Tensor &target, const Tensor &weight, Reduction reduction, int64_t ignored,
                SourceLocation loc) {
  if (!weight.defined()) return nll_loss(x, target, reduction, ignored, loc);
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "nll_loss", "x", x);
  dispatch::requireDefined(scope, "nll_loss", "target", target);
  requireWeight(scope, "nll_loss", x, weight);
  if (anyHalf(x, weight))
    return narrowed(nll_loss(widened(x, scope), target, widened(weight, scope), reduction, ignored, loc),
                    meet(scope, "nll_loss", x, weight), scope);
  const Rows r = rowsOf(scope, "nll_loss", x, target);
  const Tensor weights = weightOfTargets(r, weight, ignored, loc);
  const Tensor rows = mul(nll_loss(r.x, r.target, Reduction::None, ignored, loc), weights, loc);
  return reduceWeighted(rows, weights, reduction, r.losses, loc);
}

Tensor cross_entropy(const Tensor &x, const Tensor &target, const Tensor &weight, Reduction reduction, int64_t ignored,
                     double smoothing, SourceLocation loc) {
  if (!weight.defined()) return cross_entropy(x, target, reduction, ignored, smoothing, loc);
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "cross_entropy", "x", x);
  dispatch::requireDefined(scope, "cross_entropy", "target", target);
  requireWeight(scope, "cross_entropy", x, weight);
  if (anyHalf(x, weight))
    return narrowed(cross_entropy(widened(x, scope), widened(target, scope), widened(weight, scope), reduction, ignored,
                                  smoothing, loc),
                    meet(scope, "cross_entropy", x, weight), scope);
  requireSmoothing(scope, smoothing);
  if (isFloat(target.dtype())) return againstProbabilities(scope, x, target, weight, reduction, smoothing);
  const Rows r = rowsOf(scope, "cross_entropy", x, target);
  const Tensor l = log_softmax(r.x, 1, std::nullopt, loc), weights = weightOfTargets(r, weight, ignored, loc);
  Tensor rows = mul(nll_loss(l, r.target, Reduction::None, ignored, loc), weights, loc);
  if (smoothing != 0) {
    const Tensor kept = ne(r.target, ignored, loc),
                 all = neg(sum(mul(l, weight, loc), 1, false, std::nullopt, loc), loc);
    rows = add(mul(rows, 1 - smoothing, loc),
               where(kept, mul(all, smoothing / static_cast<double>(r.x.size(1)), loc), 0, loc), loc);
  }
  return reduceWeighted(rows, weights, reduction, r.losses, loc);
}

bool adaptCrossEntropy(const Tensor &x, const Tensor &target, Reduction reduction, int64_t ignored, double smoothing,
                       std::span<Tensor> results, const SourceLocation &loc) {
  if (!x.defined() || !target.defined() || x.dim() == 0) return false;
  const CallScope scope(loc);
  if (isFloat(target.dtype()) && isFloat(x.dtype()) && target.dim() == x.dim()) {
    const DType type = meet(scope, "cross_entropy", x, target);
    results[0] = narrowed(
        againstProbabilities(scope, widened(x, scope), widened(target, scope), {}, reduction, smoothing), type, scope);
    return true;
  }
  if (isRows(x, target) || isFloat(target.dtype())) return false;
  const Rows r = rowsOf(scope, "cross_entropy", x, target);
  results[0] = cross_entropy(r.x, r.target, reduction, ignored, smoothing, loc);
  if (reduction == Reduction::None) results[0] = reshape(results[0], r.losses, loc);
  return true;
}

bool adaptNllLoss(const Tensor &x, const Tensor &target, Reduction reduction, int64_t ignored,
                  std::span<Tensor> results, const SourceLocation &loc) {
  if (isRows(x, target)) return false;
  const CallScope scope(loc);
  const Rows r = rowsOf(scope, "nll_loss", x, target);
  results[0] = nll_loss(r.x, r.target, reduction, ignored, loc);
  if (reduction == Reduction::None) results[0] = reshape(results[0], r.losses, loc);
  return true;
}

} // namespace tensorjit
