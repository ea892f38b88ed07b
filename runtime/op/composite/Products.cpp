// Matrix products with something added, products of vectors, attention.
#include "core/Dispatch.h"
#include "core/InF32.h"
#include "core/NumberText.h"
#include "tensorjit/ops.h"
#include "trace/Recorder.h"

#include <cmath>
#include <limits>

namespace tensorjit {

using dispatch::anyHalf;
using dispatch::CallScope;
using dispatch::fail;
using dispatch::meet;
using dispatch::narrowed;
using dispatch::widened;

static void requireRank(const CallScope &scope, const char *op, const char *argument, const Tensor &x, int64_t rank) {
  dispatch::requireDefined(scope, op, argument, x);
  if (x.dim() != rank)
    fail<shape_error>(scope, std::string(op) + ": " + argument + " of rank " + std::to_string(rank) +
                                 " expected, got " + x.sizes().str());
}

static bool isNumber(const Scalar &s, double value) { return s.toDouble() == value; }

/// beta * c + alpha * product; c is not read for beta 0.
static Tensor addProduct(const CallScope &scope, const char *op, const Tensor &c, Tensor product, Scalar beta,
                         Scalar alpha) {
  dispatch::requireDefined(scope, op, "c", c);
  if (!isNumber(alpha, 1)) product = mul(product, alpha);
  if (isNumber(beta, 0)) return product;
  const Tensor sum = add(isNumber(beta, 1) ? c : mul(c, beta), product);
  if (sum.sizes() != product.sizes())
    fail<shape_error>(scope,
                      std::string(op) + ": " + c.sizes().str() + " does not broadcast to " + product.sizes().str());
  return sum;
}

Tensor addmm(const Tensor &c, const Tensor &a, const Tensor &b, Scalar beta, Scalar alpha, SourceLocation loc) {
  const CallScope scope(loc);
  requireRank(scope, "addmm", "a", a, 2);
  requireRank(scope, "addmm", "b", b, 2);
  if (anyHalf(a, b))
    return narrowed(addmm(widened(c, scope), widened(a, scope), widened(b, scope), beta, alpha, loc),
                    meet(scope, "addmm", a, b, c), scope);
  return addProduct(scope, "addmm", c, mm(a, b), beta, alpha);
}

Tensor baddbmm(const Tensor &c, const Tensor &a, const Tensor &b, Scalar beta, Scalar alpha, SourceLocation loc) {
  const CallScope scope(loc);
  requireRank(scope, "baddbmm", "a", a, 3);
  requireRank(scope, "baddbmm", "b", b, 3);
  if (anyHalf(a, b))
    return narrowed(baddbmm(widened(c, scope), widened(a, scope), widened(b, scope), beta, alpha, loc),
                    meet(scope, "baddbmm", a, b, c), scope);
  return addProduct(scope, "baddbmm", c, bmm(a, b), beta, alpha);
}

Tensor dot(const Tensor &a, const Tensor &b, SourceLocation loc) {
  const CallScope scope(loc);
  requireRank(scope, "dot", "a", a, 1);
  requireRank(scope, "dot", "b", b, 1);
  return matmul(a, b);
}

Tensor mv(const Tensor &a, const Tensor &b, SourceLocation loc) {
  const CallScope scope(loc);
  requireRank(scope, "mv", "a", a, 2);
  requireRank(scope, "mv", "b", b, 1);
  return matmul(a, b);
}

Tensor scaled_dot_product_attention(const Tensor &q, const Tensor &k, const Tensor &v, const Tensor &mask,
                                    double dropoutP, bool isCausal, int64_t causalOffset, std::optional<double> scale,
                                    SourceLocation loc) {
  const CallScope scope(loc);
  const char *op = "scaled_dot_product_attention";
  for (const Tensor *t : {&q, &k, &v}) {
    dispatch::requireDefined(scope, op, "an operand", *t);
    if (t->dim() < 2)
      fail<shape_error>(scope, std::string(op) + ": operands of rank 2 or more expected, got " + t->sizes().str());
  }
  if (k.size(-2) != v.size(-2) || q.size(-1) != k.size(-1))
    fail<shape_error>(scope, std::string(op) + ": queries " + q.sizes().str() + ", keys " + k.sizes().str() +
                                 " and values " + v.sizes().str() + " do not fit");
  if (!isFloat(q.dtype())) fail<type_error>(scope, std::string(op) + ": expected floats, got " + name(q.dtype()));
  if (mask.defined() && mask.dtype() != DType::Bool && !isFloat(mask.dtype()))
    fail<type_error>(scope, std::string(op) + ": a bool or float mask expected, got " + name(mask.dtype()));
  if (!(dropoutP >= 0 && dropoutP <= 1))
    fail<value_error>(scope, std::string(op) + ": dropout_p must be in [0, 1], got " + numberText(dropoutP));
  if (anyHalf(q, k, v, mask))
    return narrowed(scaled_dot_product_attention(widened(q, scope), widened(k, scope), widened(v, scope),
                                                 widened(mask, scope), dropoutP, isCausal, causalOffset, scale, loc),
                    meet(scope, op, q, k, v), scope);
  const int64_t queries = q.size(-2), keys = k.size(-2);
  Tensor s = mul(matmul(q, transpose(k, -1, -2)), scale.value_or(1 / std::sqrt(static_cast<double>(q.size(-1)))));
  const Scalar hidden = -std::numeric_limits<double>::infinity();
  if (mask.defined()) s = mask.dtype() == DType::Bool ? where(mask, s, hidden) : add(s, mask);
  if (isCausal) {
    const trace::DeviceScope device(s.device());
    const Tensor sees = le(sub(iota({1, keys}, 1, DType::I64), iota({queries, 1}, 0, DType::I64)), causalOffset);
    s = where(sees, s, hidden);
  }
  if (keys == 0) return matmul(s, v);
  // Rows that see nothing have weights 0, not NaN.
  const Tensor m = amax(s.detach(), -1, true), isBlind = eq(m, hidden);
  const Tensor e = exp(sub(s, where(isBlind, 0, m)));
  const Tensor total = sum(e, -1, true);
  const Tensor weights = div(e, where(isBlind, 1, total));
  return matmul(dropout(weights, dropoutP, dropoutP > 0), v);
}

} // namespace tensorjit
