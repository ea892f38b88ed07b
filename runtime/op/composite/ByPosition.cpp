// Functions whose elements lie where positions along one dim say.
#include "core/Dispatch.h"
#include "core/InF32.h"
#include "op/IndexIds.h"
#include "op/Normalize.h"
#include "tensorjit/ops.h"
#include "trace/Recorder.h"

namespace tensorjit {

using dispatch::CallScope;
using dispatch::fail;

namespace {

/// A list of positions; a 0-d tensor is a list of one.
Tensor listOf(const CallScope &scope, const char *op, const Tensor &index) {
  dispatch::requireDefined(scope, op, "index", index);
  if (index.dim() > 1)
    fail<shape_error>(scope, std::string(op) + ": a list of positions expected, got " + index.sizes().str());
  return index.dim() == 0 ? reshape(index, {1}) : index;
}

Tensor callRows(const CallScope &scope, OpId op, int64_t dim, std::initializer_list<const TensorBase *> operands) {
  Attrs attrs;
  attrs.addInt(dim);
  TensorBase result;
  dispatch::call(op, {operands.begin(), operands.size()}, attrs, {&result, 1}, scope.location());
  return result;
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

/// A copy of x in which `op` writes rows where the list says.
Tensor intoRows(const CallScope &scope, const char *name, OpId op, const Tensor &x, int64_t dim, const Tensor &index,
                const Tensor &source) {
  const int64_t d = dimOf(scope, name, x, dim);
  dispatch::requireDefined(scope, name, "source", source);
  const Tensor rows = withDim(x), list = listOf(scope, name, index), from = withDim(source);
  const Tensor y = callRows(scope, op, d, {&rows, &list, &from});
  return x.dim() == 0 ? reshape(y, {}) : y;
}

} // namespace

Tensor index_select(const Tensor &x, int64_t dim, const Tensor &index, SourceLocation loc) {
  const CallScope scope(loc);
  const int64_t d = dimOf(scope, "index_select", x, dim);
  const Tensor rows = withDim(x), list = listOf(scope, "index_select", index);
  const Tensor y = callRows(scope, opid::IndexSelect, d, {&rows, &list});
  return x.dim() == 0 ? reshape(y, {}) : y;
}

Tensor index_add(const Tensor &x, int64_t dim, const Tensor &index, const Tensor &source, Scalar alpha,
                 SourceLocation loc) {
  const CallScope scope(loc);
  const bool plain = alpha.kind() != Scalar::Kind::Float && alpha.toInt() == 1;
  if (plain) return intoRows(scope, "index_add", opid::IndexAdd, x, dim, index, source);
  dispatch::requireDefined(scope, "index_add", "x", x);
  dispatch::requireDefined(scope, "index_add", "source", source);
  if (dispatch::anyHalf(x, source))
    return dispatch::narrowed(
        index_add(dispatch::widened(x, scope), dim, index, dispatch::widened(source, scope), alpha, loc), x.dtype(),
        scope);
  return intoRows(scope, "index_add", opid::IndexAdd, x, dim, index,
                  mul(source, valueAt(scope, "index_add", alpha, x)));
}

Tensor index_copy(const Tensor &x, int64_t dim, const Tensor &index, const Tensor &source, SourceLocation loc) {
  const CallScope scope(loc);
  return intoRows(scope, "index_copy", opid::IndexCopy, x, dim, index, source);
}

Tensor index_fill(const Tensor &x, int64_t dim, const Tensor &index, const Operand &value, SourceLocation loc) {
  const CallScope scope(loc);
  const int64_t d = dimOf(scope, "index_fill", x, dim);
  Shape sizes = withDim(x).sizes();
  sizes[static_cast<size_t>(d)] = listOf(scope, "index_fill", index).numel();
  const Tensor number = valueAt(scope, "index_fill", value, x);
  return intoRows(scope, "index_fill", opid::IndexCopy, x, d, index, broadcast_to(number, sizes));
}

Tensor embedding(const Tensor &weight, const Tensor &index, int64_t paddingIdx, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "embedding", "weight", weight);
  dispatch::requireDefined(scope, "embedding", "index", index);
  if (weight.dim() != 2) fail<shape_error>(scope, "embedding: a table of rank 2 expected, got " + weight.sizes().str());
  const int64_t count = index.numel();
  Shape sizes = index.sizes();
  sizes.push_back(weight.size(1));
  const Tensor list = reshape(index, {count});
  Tensor rows = callRows(scope, opid::IndexSelect, 0, {&weight, &list});
  if (paddingIdx >= 0 && weight.requires_grad())
    rows = where(eq(reshape(list, {count, 1}), paddingIdx), rows.detach(), rows);
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

static Tensor scatterBy(const CallScope &scope, OpId op, const Tensor &x, int64_t dim, const Tensor &index,
                        const Tensor &src, bool includeSelf) {
  Attrs attrs;
  attrs.addInt(dim);
  attrs.addInt(includeSelf);
  TensorBase results[2];
  const TensorBase *operands[] = {&x, &index, &src};
  dispatch::call(op, operands, attrs, {results, op == opid::ScatterProd ? size_t{1} : size_t{2}}, scope.location());
  return std::move(results[0]);
}

Tensor scatter_reduce(const Tensor &x, int64_t dim, const Tensor &index, const Tensor &src, const std::string &reduce,
                      bool includeSelf, SourceLocation loc) {
  const CallScope scope(loc);
  const int64_t d = dimOf(scope, "scatter_reduce", x, dim);
  dispatch::requireDefined(scope, "scatter_reduce", "index", index);
  dispatch::requireDefined(scope, "scatter_reduce", "src", src);
  if (reduce == "amax") return scatterBy(scope, opid::ScatterAmax, x, d, index, src, includeSelf);
  if (reduce == "amin") return scatterBy(scope, opid::ScatterAmin, x, d, index, src, includeSelf);
  if (reduce == "prod") return scatterBy(scope, opid::ScatterProd, x, d, index, src, includeSelf);
  if (reduce != "sum" && reduce != "mean")
    fail<value_error>(scope, "scatter_reduce: sum, mean, prod, amax or amin expected, got " + reduce);
  if (dispatch::anyHalf(x, src))
    return dispatch::narrowed(
        scatter_reduce(dispatch::widened(x, scope), d, index, dispatch::widened(src, scope), reduce, includeSelf, loc),
        x.dtype(), scope);
  const Tensor none = broadcast_to(valueAt(scope, "scatter_reduce", Scalar(0), x), index.sizes());
  const Tensor total = scatter_add(includeSelf ? x : scatter(x, d, index, none), d, index, src);
  if (reduce == "sum") return total;
  const Tensor one = valueAt(scope, "scatter_reduce", Scalar(1), x);
  const Tensor start = broadcast_to(includeSelf ? one : valueAt(scope, "scatter_reduce", Scalar(0), x), x.sizes());
  const Tensor count = clamp_min(scatter_add(start, d, index, broadcast_to(one, index.sizes())), 1);
  return isFloat(x.dtype()) ? div(total, count) : floor_divide(total, count);
}

Tensor one_hot(const Tensor &classes, int64_t count, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "one_hot", "classes", classes);
  Attrs attrs;
  attrs.addInt(count);
  attrs.addInt(false);
  TensorBase checked;
  const TensorBase *operands[] = {&classes};
  dispatch::call(opid::Index, operands, attrs, {&checked, 1}, scope.location());
  const trace::DeviceScope device(classes.device());
  return cast(eq(unsqueeze(checked, -1), iota({count}, 0, DType::I64)), DType::I64);
}

} // namespace tensorjit
