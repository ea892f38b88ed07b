// Variances, norms, and reductions that are made of others.
#include "core/Dispatch.h"
#include "core/InF32.h"
#include "op/Normalize.h"
#include "op/composite/Centred.h"
#include "tensorjit/ops.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tensorjit {

using dispatch::anyHalf;
using dispatch::CallScope;
using dispatch::fail;
using dispatch::narrowed;
using dispatch::requireFloat;
using dispatch::widened;

static int64_t countOver(const Shape &sizes, const Shape &dims) {
  Shape reduced;
  for (int64_t d : dims) reduced.push_back(sizes[static_cast<size_t>(d)]);
  return reduced.numel();
}

Centred centred(const Tensor &x, const Shape &dims) {
  Tensor first = x;
  for (int64_t d : dims)
    if (x.size(d) > 1) first = narrow(first, d, 0, 1);
  const Tensor shifted = sub(x, first), mean = tensorjit::mean(shifted, dims, true);
  return {sub(shifted, mean), add(first, mean)};
}

namespace {
struct Variance {
  Tensor var, mean; ///< with the reduced dims
};
} // namespace

static Variance variance(const Tensor &x, const Shape &dims, double correction) {
  const int64_t n = countOver(x.sizes(), dims);
  const double divisor = std::max(0.0, static_cast<double>(n) - correction);
  if (n == 0) {
    const Tensor nan = mean(x, dims, true);
    return {nan, nan};
  }
  const Centred c = centred(x, dims);
  // One element: 0 / 0, with the derivative of what is always 0.
  if (n == 1 && divisor == 0) return {add(square(c.values), std::numeric_limits<double>::quiet_NaN()), c.mean};
  return {div(sum(square(c.values), dims, true), divisor), c.mean};
}

static Tensor withoutDims(const Tensor &x, const Shape &dims, bool keepdim) {
  if (keepdim) return x;
  Shape sizes;
  for (int64_t d = 0; d < x.dim(); ++d)
    if (std::find(dims.begin(), dims.end(), d) == dims.end()) sizes.push_back(x.size(d));
  return reshape(x, sizes);
}

Tensor var(const Tensor &x, const Dims &dims, double correction, bool keepdim, SourceLocation loc) {
  const CallScope scope(loc);
  requireFloat(scope, "var", x);
  if (anyHalf(x)) return narrowed(var(widened(x, scope), dims, correction, keepdim, loc), x.dtype(), scope);
  const Shape over = normalizeDims(scope, "var", dims, x.sizes());
  return withoutDims(variance(x, over, correction).var, over, keepdim);
}

Tensor std(const Tensor &x, const Dims &dims, double correction, bool keepdim, SourceLocation loc) {
  const CallScope scope(loc);
  requireFloat(scope, "std", x);
  if (anyHalf(x)) return narrowed(tensorjit::std(widened(x, scope), dims, correction, keepdim, loc), x.dtype(), scope);
  const Shape over = normalizeDims(scope, "std", dims, x.sizes());
  const Tensor v = withoutDims(variance(x, over, correction).var, over, keepdim);
  // The root of 1 where the variance is 0, so that no infinite gradient meets a zero.
  const Tensor isZero = eq(v, 0);
  return where(isZero, 0, sqrt(where(isZero, 1, v)));
}

std::tuple<Tensor, Tensor> var_mean(const Tensor &x, const Dims &dims, double correction, bool keepdim,
                                    SourceLocation loc) {
  const CallScope scope(loc);
  requireFloat(scope, "var_mean", x);
  if (anyHalf(x)) {
    const auto [v, m] = var_mean(widened(x, scope), dims, correction, keepdim, loc);
    return {narrowed(v, x.dtype(), scope), narrowed(m, x.dtype(), scope)};
  }
  const Shape over = normalizeDims(scope, "var_mean", dims, x.sizes());
  const Variance v = variance(x, over, correction);
  return {withoutDims(v.var, over, keepdim), withoutDims(v.mean, over, keepdim)};
}

Tensor logsumexp(const Tensor &x, const Dims &dims, bool keepdim, SourceLocation loc) {
  const CallScope scope(loc);
  requireFloat(scope, "logsumexp", x);
  if (anyHalf(x)) return narrowed(logsumexp(widened(x, scope), dims, keepdim, loc), x.dtype(), scope);
  const Shape over = normalizeDims(scope, "logsumexp", dims, x.sizes());
  if (countOver(x.sizes(), over) == 0) return log(sum(x, over, keepdim));
  // The largest element only shifts, so no gradient takes its way through it.
  const Tensor m = amax(x.detach(), over, true), shift = where(isinf(m), 0, m);
  // A row of -inf: its logarithm has no derivative, the row's is 0.
  const Tensor total = sum(exp(sub(x, shift)), over, true), isZero = eq(total, 0);
  const Tensor logarithm = where(isZero, -std::numeric_limits<double>::infinity(), log(where(isZero, 1, total)));
  return withoutDims(add(logarithm, shift), over, keepdim);
}

Tensor norm(const Tensor &x, double p, const Dims &dims, bool keepdim, SourceLocation loc) {
  const CallScope scope(loc);
  requireFloat(scope, "norm", x);
  if (anyHalf(x)) return narrowed(norm(widened(x, scope), p, dims, keepdim, loc), x.dtype(), scope);
  const Shape over = normalizeDims(scope, "norm", dims, x.sizes());
  const Tensor magnitude = abs(x);
  if (p == 0) return sum(where(ne(x, 0), 1, mul(x, 0)), over, keepdim); // constant, but on the tape
  if (p == 1) return sum(magnitude, over, keepdim);
  if (std::isinf(p)) return p > 0 ? amax(magnitude, over, keepdim) : amin(magnitude, over, keepdim);
  const Tensor total = p == 2 ? sum(square(x), over, keepdim) : sum(pow(magnitude, p), over, keepdim);
  const Tensor isZero = eq(total, 0), safe = where(isZero, 1, total);
  return where(isZero, p > 0 ? 0.0 : std::numeric_limits<double>::infinity(), p == 2 ? sqrt(safe) : pow(safe, 1 / p));
}

/// x at the first extreme of a dim.
static std::tuple<Tensor, Tensor> extremeOf(const Tensor &x, int64_t dim, bool keepdim, bool largest,
                                            const SourceLocation &loc) {
  const Tensor at = largest ? argmax(x, dim, true, loc) : argmin(x, dim, true, loc);
  if (x.dim() == 0) return {mul(x, 1, loc), at};
  const Tensor value = gather(x, dim, at, loc);
  if (keepdim) return {value, at};
  return {squeeze(value, dim, loc), squeeze(at, dim, loc)};
}

Tensor max(const Tensor &x, SourceLocation loc) { return amax(x, {}, false, loc); }
Tensor min(const Tensor &x, SourceLocation loc) { return amin(x, {}, false, loc); }
std::tuple<Tensor, Tensor> max(const Tensor &x, int64_t dim, bool keepdim, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "max", "x", x);
  return extremeOf(x, dim, keepdim, true, loc);
}
std::tuple<Tensor, Tensor> min(const Tensor &x, int64_t dim, bool keepdim, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "min", "x", x);
  return extremeOf(x, dim, keepdim, false, loc);
}
std::tuple<Tensor, Tensor> aminmax(const Tensor &x, OptionalInt dim, bool keepdim, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "aminmax", "x", x);
  const Dims dims = dim ? Dims(*dim) : Dims();
  return {amin(x, dims, keepdim, loc), amax(x, dims, keepdim, loc)};
}

Tensor cumsum(const Tensor &x, int64_t dim, DType dtype, SourceLocation loc) {
  return cumsum(x, dim, false, false, dtype, loc);
}
Tensor cumprod(const Tensor &x, int64_t dim, DType dtype, SourceLocation loc) {
  return cumprod(x, dim, false, false, dtype, loc);
}

} // namespace tensorjit
