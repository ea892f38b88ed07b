// Functions whose elements lie where a list of positions says, made of gather and scatter.
#include "core/Dispatch.h"
#include "core/InF32.h"
#include "op/Normalize.h"
#include "tensorjit/ops.h"
#include "trace/Recorder.h"

namespace tensorjit {

using dispatch::CallScope;
using dispatch::fail;

namespace {

/// A list of positions laid along `dim` and repeated over the other dims of `sizes`.
Tensor spread(const CallScope &scope, const char *op, const Tensor &index, int64_t dim, Shape sizes) {
  dispatch::requireDefined(scope, op, "index", index);
  if (index.dim() > 1)
    fail<shape_error>(scope, std::string(op) + ": a list of positions expected, got " + index.sizes().str());
  Shape along;
  for (size_t d = 0; d < sizes.rank(); ++d) along.push_back(static_cast<int64_t>(d) == dim ? index.numel() : 1);
  sizes[static_cast<size_t>(dim)] = index.numel();
  return broadcast_to(reshape(index, along), sizes);
}

/// A host number or 0-d tensor at the dtype of `x`, by the rules of `cast`.
Tensor valueAt(const CallScope &scope, const char *op, const Operand &value, const Tensor &x) {
  const trace::DeviceScope device(x.device());
  const DType type = x.dtype();
  if (!value.isTensor()) {
    const DType own = value.scalar().kind() == Scalar::Kind::Float ? DType::F64 : DType::I64;
    return dispatch::castTo(dispatch::fromScalar(value.scalar(), own, scope.location()), type, scope.location());
  }
  dispatch::requireDefined(scope, op, "value", value.tensor());
  if (value.tensor().dim() != 0)
    fail<shape_error>(scope, std::string(op) + ": a 0-d value expected, got " + value.tensor().sizes().str());
  return dispatch::castTo(value.tensor(), type, scope.location());
}

/// One row of x for a 0-d tensor.
Tensor withDim(const Tensor &x) { return x.dim() == 0 ? reshape(x, {1}) : x; }

int64_t dimOf(const CallScope &scope, const char *op, const Tensor &x, int64_t dim) {
  dispatch::requireDefined(scope, op, "x", x);
  return normalizeDim(scope, op, dim, x.sizes());
}

void requireSource(const CallScope &scope, const char *op, const Tensor &source, const Shape &sizes) {
  dispatch::requireDefined(scope, op, "source", source);
  if (source.sizes() != sizes)
    fail<shape_error>(scope, std::string(op) + ": a source of sizes " + sizes.str() + " expected, got " +
                                 source.sizes().str());
}

} // namespace

Tensor index_select(const Tensor &x, int64_t dim, const Tensor &index, SourceLocation loc) {
  const CallScope scope(loc);
  const int64_t d = dimOf(scope, "index_select", x, dim);
  const Tensor rows = withDim(x), y = gather(rows, d, spread(scope, "index_select", index, d, rows.sizes()));
  return x.dim() == 0 ? reshape(y, {}) : y;
}

Tensor index_add(const Tensor &x, int64_t dim, const Tensor &index, const Tensor &source, Scalar alpha,
                 SourceLocation loc) {
  const CallScope scope(loc);
  const int64_t d = dimOf(scope, "index_add", x, dim);
  const Tensor rows = withDim(x), at = spread(scope, "index_add", index, d, rows.sizes());
  requireSource(scope, "index_add", withDim(source), at.sizes());
  const bool plain = alpha.kind() != Scalar::Kind::Float && alpha.toInt() == 1;
  if (!plain && dispatch::anyHalf(x, source))
    return dispatch::narrowed(
        index_add(dispatch::widened(x, scope), dim, index, dispatch::widened(source, scope), alpha, loc), x.dtype(),
        scope);
  return reshape(
      scatter_add(rows, d, at, plain ? withDim(source) : mul(withDim(source), valueAt(scope, "index_add", alpha, x))),
      x.sizes());
}

Tensor index_copy(const Tensor &x, int64_t dim, const Tensor &index, const Tensor &source, SourceLocation loc) {
  const CallScope scope(loc);
  const int64_t d = dimOf(scope, "index_copy", x, dim);
  const Tensor rows = withDim(x), at = spread(scope, "index_copy", index, d, rows.sizes());
  requireSource(scope, "index_copy", withDim(source), at.sizes());
  return reshape(scatter(rows, d, at, withDim(source)), x.sizes());
}

Tensor index_fill(const Tensor &x, int64_t dim, const Tensor &index, const Operand &value, SourceLocation loc) {
  const CallScope scope(loc);
  const int64_t d = dimOf(scope, "index_fill", x, dim);
  const Tensor rows = withDim(x), at = spread(scope, "index_fill", index, d, rows.sizes());
  const Tensor number = valueAt(scope, "index_fill", value, x);
  return reshape(scatter(rows, d, at, broadcast_to(number, at.sizes())), x.sizes());
}

Tensor embedding(const Tensor &weight, const Tensor &index, int64_t paddingIdx, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "embedding", "weight", weight);
  dispatch::requireDefined(scope, "embedding", "index", index);
  if (weight.dim() != 2) fail<shape_error>(scope, "embedding: a table of rank 2 expected, got " + weight.sizes().str());
  const int64_t count = index.numel(), width = weight.size(1);
  Shape sizes = index.sizes();
  sizes.push_back(width);
  const Tensor flat = reshape(index, {count, 1});
  Tensor rows = gather(weight, 0, broadcast_to(flat, {count, width}));
  if (paddingIdx >= 0) rows = where(eq(flat, paddingIdx), rows.detach(), rows);
  return reshape(rows, sizes);
}

Tensor masked_fill(const Tensor &x, const Tensor &mask, const Operand &value, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "masked_fill", "x", x);
  dispatch::requireDefined(scope, "masked_fill", "mask", mask);
  const Tensor number = valueAt(scope, "masked_fill", value, x);
  return where(mask, number, x);
}

Tensor take_along_dim(const Tensor &x, const Tensor &index, OptionalInt dim, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "take_along_dim", "x", x);
  dispatch::requireDefined(scope, "take_along_dim", "index", index);
  if (!dim) return gather(reshape(x, {x.numel()}), 0, reshape(index, {index.numel()}));
  const int64_t d = normalizeDim(scope, "take_along_dim", *dim, x.sizes());
  if (x.dim() != index.dim())
    fail<shape_error>(scope, "take_along_dim: positions of rank " + std::to_string(x.dim()) + " expected, got " +
                                 index.sizes().str());
  Shape from = x.sizes(), at = index.sizes();
  for (size_t i = 0; i < from.rank(); ++i) {
    if (static_cast<int64_t>(i) == d) continue;
    const int64_t size = from[i] == 1 ? at[i] : from[i];
    from[i] = at[i] = size;
  }
  const Tensor wrapped = where(lt(index, 0), add(index, x.size(d)), index); // negative positions count from the end
  return gather(broadcast_to(x, from), d, broadcast_to(wrapped, at));
}

Tensor one_hot(const Tensor &classes, int64_t count, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "one_hot", "classes", classes);
  Shape sizes = classes.sizes();
  sizes.push_back(count);
  const trace::DeviceScope device(classes.device());
  const Tensor zeros = broadcast_to(dispatch::fromScalar(Scalar(0), DType::I64, scope.location()), sizes);
  const Tensor at = unsqueeze(classes, -1);
  return scatter(zeros, -1, at,
                 broadcast_to(dispatch::fromScalar(Scalar(1), DType::I64, scope.location()), at.sizes()));
}

} // namespace tensorjit
