#include "op/SortIds.h"
#include "op/vjp/Gradients.h"
#include "tensorjit/ops.h"

#include <limits>

namespace tensorjit {

namespace {

/// The attributes of a scan.
struct Along {
  explicit Along(const VjpCall &call, bool hasReverse = false, bool hasExclusive = false) {
    AttrReader attrs(call.attrs);
    dim = attrs.integer();
    if (hasReverse) reverse = attrs.boolean();
    if (hasExclusive) exclusive = attrs.boolean();
  }
  int64_t dim;
  bool reverse = false, exclusive = false;
};

Tensor zerosLike(const Tensor &x, const Shape &sizes) { return zerosOf({x.dtype(), sizes}); }

/// At each place the element of the place before it, in row-major order, or with `later` of the place behind it; 0
/// where there is none.
Tensor neighbour(const Tensor &x, int64_t dim, bool later) {
  if (x.dim() == 0 || x.size(dim) < 2) return zerosLike(x, x.sizes());
  Shape one = x.sizes();
  one[static_cast<size_t>(dim)] = 1;
  const Tensor rest = narrow(x, dim, later ? 1 : 0, x.size(dim) - 1), zero = zerosLike(x, one);
  return later ? concat(rest, zero, dim) : concat(zero, rest, dim);
}
/// The element that a scan reaches next, and the one that it came from.
Tensor next(const Tensor &x, const Along &way) { return neighbour(x, way.dim, !way.reverse); }
Tensor previous(const Tensor &x, const Along &way) { return neighbour(x, way.dim, way.reverse); }

/// exp(x - y) for x not above y, where equal infinities give 1.
Tensor share(const Tensor &x, const Tensor &y) {
  const Tensor infinite = where(eq(x, y), 0, -std::numeric_limits<double>::infinity());
  return exp(where(logical_or(isinf(x), isinf(y)), infinite, sub(x, y)));
}

} // namespace

void vjpScanSum(VjpCall &call) {
  const Along way(call, true, true);
  if (call.needs[0])
    call.result[0] = sumTo(cumsum(call.grads[0], way.dim, !way.reverse, way.exclusive), call.operandTypes[0]);
}

// The derivative for x[i] is the product of what comes before it times r[i] = g[i] + x[i+1] * r[i+1], the sum of the
// gradients behind it, each times the elements between: no division, so that zeros need no care.
void vjpScanProd(VjpCall &call) {
  if (!call.needs[0]) return;
  const Along way(call, true, true);
  const Tensor &x = call.saved[0];
  const Tensor before = cumprod(x, way.dim, way.reverse, true);
  const Tensor g = way.exclusive ? next(call.grads[0], way) : call.grads[0];
  call.result[0] = sumTo(mul(before, scan_affine(next(x, way), g, way.dim, !way.reverse)), call.operandTypes[0]);
}

void vjpScanExtreme(VjpCall &call) {
  if (!call.needs[0] || !call.grads[0].defined()) return;
  const Tensor zeros = zerosLike(call.grads[0], call.operandTypes[0].sizes);
  call.result[0] = sumTo(scatter_add(zeros, Along(call).dim, call.saved[0], call.grads[0]), call.operandTypes[0]);
}

// Sum of g[j] * exp(x[i] - y[j]) over j from i on. With s[i] the sum of g[j] * exp(y[i] - y[j]), which is
// s[i] = g[i] + exp(y[i] - y[i+1]) * s[i+1], it is exp(x[i] - y[i]) * s[i]: no exponent is above 0.
void vjpScanLogaddexp(VjpCall &call) {
  if (!call.needs[0]) return;
  const Along way(call);
  const Tensor &x = call.saved[0], &y = call.saved[1];
  const Tensor sums = scan_affine(share(y, next(y, way)), call.grads[0], way.dim, true);
  const Tensor isNothing = eq(y, -std::numeric_limits<double>::infinity());
  call.result[0] = sumTo(where(isNothing, 0, mul(share(x, y), sums)), call.operandTypes[0]);
}

// With y[i] = a[i] * y[i-1] + b[i], what arrives at y[i] is h[i] = g[i] + a[i+1] * h[i+1].
void vjpScanAffine(VjpCall &call) {
  const Along way(call, true);
  const Tensor &a = call.saved[0], &y = call.saved[1];
  const Tensor arrives = scan_affine(next(a, way), call.grads[0], way.dim, !way.reverse);
  if (call.needs[0]) call.result[0] = sumTo(mul(arrives, previous(y, way)), call.operandTypes[0]);
  if (call.needs[1]) call.result[1] = sumTo(arrives, call.operandTypes[1]);
}

void vjpSort(VjpCall &call) {
  if (!call.needs[0] || !call.grads[0].defined()) return;
  const Shape &sizes = call.operandTypes[0].sizes;
  AttrReader attrs(call.attrs);
  int64_t dim = attrs.integer();
  if (call.op == opid::Topk) dim = attrs.integer();
  const Tensor zeros = zerosLike(call.grads[0], sizes);
  const bool nothing = call.grads[0].numel() == 0;
  call.result[0] = sumTo(nothing ? zeros : scatter_add(zeros, dim, call.saved[0], call.grads[0]), call.operandTypes[0]);
}

} // namespace tensorjit
