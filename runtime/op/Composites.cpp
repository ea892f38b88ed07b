#include "core/Dispatch.h"
#include "core/InF32.h"
#include "op/Normalize.h"
#include "op/ShapeIds.h"
#include "tensorjit/ops.h"

#include <algorithm>
#include <string>

namespace tensorjit {

using dispatch::CallScope;
using dispatch::fail;

static Tensor callSlice(const Tensor &x, const SliceRange &r, const CallScope &scope) {
  Attrs attrs;
  for (int64_t v : {r.dim, r.start, r.stop, r.step}) attrs.addInt(v);
  TensorBase result;
  const TensorBase *operands[] = {&x};
  dispatch::call(opid::Slice, operands, attrs, {&result, 1}, scope.location());
  return result;
}

Tensor view(const Tensor &x, const Shape &sizes, SourceLocation loc) { return reshape(x, sizes, loc); }
Tensor view(const Tensor &x, DType dtype, SourceLocation loc) { return bitcast(x, dtype, loc); }

Tensor flatten(const Tensor &x, int64_t start_dim, int64_t end_dim, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "flatten", "x", x);
  const Shape &from = x.sizes();
  const int64_t first = normalizeDim(scope, "flatten", start_dim, from);
  const int64_t last = normalizeDim(scope, "flatten", end_dim, from);
  if (first > last) fail<shape_error>(scope, "flatten: start_dim lies behind end_dim");
  if (from.empty()) return reshape(x, {1}, loc);
  Shape sizes, merged;
  for (size_t i = 0; i < from.rank(); ++i) {
    const auto d = static_cast<int64_t>(i);
    if (d < first || d > last) sizes.push_back(from[i]);
    else merged.push_back(from[i]);
    if (d == last) sizes.push_back(merged.numel());
  }
  return reshape(x, sizes, loc);
}

Tensor unsqueeze(const Tensor &x, int64_t dim, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "unsqueeze", "x", x);
  Shape sizes = x.sizes();
  const auto rank = static_cast<int64_t>(sizes.rank());
  if (dim < -rank - 1 || dim > rank)
    fail<index_error>(scope, "unsqueeze: dim " + std::to_string(dim) + " is out of range for " + sizes.str());
  sizes.insert(static_cast<size_t>(dim < 0 ? dim + rank + 1 : dim), 1);
  return reshape(x, sizes, loc);
}

Tensor squeeze(const Tensor &x, OptionalInt dim, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "squeeze", "x", x);
  const int64_t only = dim ? normalizeDim(scope, "squeeze", *dim, x.sizes()) : -1;
  Shape sizes;
  for (size_t i = 0; i < x.sizes().rank(); ++i)
    if (x.sizes()[i] != 1 || (dim && static_cast<int64_t>(i) != only)) sizes.push_back(x.sizes()[i]);
  return reshape(x, sizes, loc);
}

Tensor squeeze(const Tensor &x, const Shape &dims, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "squeeze", "x", x);
  Shape sizes = x.sizes();
  if (dims.empty()) return reshape(x, sizes, loc);
  const Shape only = normalizeDims(scope, "squeeze", dims, x.sizes());
  for (size_t i = only.rank(); i-- > 0 && !sizes.empty();)
    if (const auto d = static_cast<size_t>(only[i]); sizes[d] == 1) sizes.erase(d);
  return reshape(x, sizes, loc);
}

Tensor transpose(const Tensor &x, int64_t a, int64_t b, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "transpose", "x", x);
  a = normalizeDim(scope, "transpose", a, x.sizes());
  b = normalizeDim(scope, "transpose", b, x.sizes());
  Shape dims;
  for (size_t i = 0; i < x.sizes().rank(); ++i) dims.push_back(static_cast<int64_t>(i));
  if (!dims.empty()) std::swap(dims[static_cast<size_t>(a)], dims[static_cast<size_t>(b)]);
  return permute(x, dims, loc);
}

Tensor t(const Tensor &x, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "t", "x", x);
  if (x.dim() > 2) fail<shape_error>(scope, "t: a matrix expected, got " + x.sizes().str());
  return x.dim() == 2 ? permute(x, {1, 0}, loc) : x;
}

Tensor expand(const Tensor &x, const Shape &sizes, SourceLocation loc) { return broadcast_to(x, sizes, loc); }

Tensor slice(const Tensor &x, int64_t dim, OptionalInt start, OptionalInt end, int64_t step, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "slice", "x", x);
  return callSlice(x, normalizeSlice(scope, "slice", dim, start, end, step, x.sizes()), scope);
}

Tensor narrow(const Tensor &x, int64_t dim, int64_t start, int64_t length, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "narrow", "x", x);
  if (x.sizes().empty()) fail<index_error>(scope, "narrow: a 0-d tensor has no dim to narrow");
  dim = normalizeDim(scope, "narrow", dim, x.sizes());
  const int64_t size = x.sizes()[static_cast<size_t>(dim)];
  const int64_t from = start < 0 ? start + size : start;
  if (length < 0) fail<shape_error>(scope, "narrow: length " + std::to_string(length) + " is negative");
  if (from < 0 || from > size || length > size - from)
    fail<index_error>(scope, "narrow: " + std::to_string(length) + " positions from " + std::to_string(start) +
                                 " are out of range for dim " + std::to_string(dim) + " of size " +
                                 std::to_string(size));
  return callSlice(x, {dim, from, from + length, 1}, scope);
}

Tensor select(const Tensor &x, int64_t dim, int64_t index, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "select", "x", x);
  if (x.sizes().empty()) fail<index_error>(scope, "select: a 0-d tensor has no dim to select from");
  dim = normalizeDim(scope, "select", dim, x.sizes());
  Shape sizes = x.sizes();
  const int64_t size = sizes[static_cast<size_t>(dim)], at = index < 0 ? index + size : index;
  if (at < 0 || at >= size)
    fail<index_error>(scope, "select: index " + std::to_string(index) + " is out of range for dim " +
                                 std::to_string(dim) + " of size " + std::to_string(size));
  sizes.erase(static_cast<size_t>(dim));
  return reshape(callSlice(x, {dim, at, at + 1, 1}, scope), sizes, loc);
}

std::vector<Tensor> split(const Tensor &x, int64_t split_size, int64_t dim, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "split", "x", x);
  dim = normalizeDim(scope, "split", dim, x.sizes());
  if (split_size < 1) fail<value_error>(scope, "split: split_size must be at least 1");
  const int64_t size = x.size(dim);
  std::vector<Tensor> parts;
  for (int64_t at = 0; at < size || parts.empty(); at += split_size)
    parts.push_back(callSlice(x, {dim, at, std::min(at + split_size, size), 1}, scope));
  return parts;
}

std::vector<Tensor> split(const Tensor &x, const Shape &split_sizes, int64_t dim, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "split", "x", x);
  if (x.dim() == 0) fail<shape_error>(scope, "split: a 0-d tensor has no dim to split");
  dim = normalizeDim(scope, "split", dim, x.sizes());
  int64_t total = 0;
  bool legal = true;
  for (int64_t size : split_sizes) {
    legal &= size >= 0;
    total += size;
  }
  if (!legal || total != x.size(dim))
    fail<shape_error>(scope, "split: parts of " + split_sizes.str() + " do not add up to dim " + std::to_string(dim) +
                                 " of " + x.sizes().str());
  std::vector<Tensor> parts;
  int64_t at = 0;
  for (int64_t size : split_sizes) {
    parts.push_back(callSlice(x, {dim, at, at + size, 1}, scope));
    at += size;
  }
  return parts;
}

std::vector<Tensor> chunk(const Tensor &x, int64_t chunks, int64_t dim, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "chunk", "x", x);
  if (chunks < 1) fail<value_error>(scope, "chunk: chunks must be at least 1");
  dim = normalizeDim(scope, "chunk", dim, x.sizes());
  return split(x, std::max<int64_t>(1, (x.size(dim) + chunks - 1) / chunks), dim, loc);
}

Tensor slice_scatter(const Tensor &x, const Tensor &v, int64_t dim, OptionalInt start, OptionalInt end, int64_t step,
                     SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "slice_scatter", "x", x);
  dispatch::requireDefined(scope, "slice_scatter", "v", v);
  const SliceRange r = normalizeSlice(scope, "slice_scatter", dim, start, end, step, x.sizes());
  Attrs attrs;
  for (int64_t a : {r.dim, r.start, r.stop, r.step}) attrs.addInt(a);
  const dispatch::Promoted value(v, x.dtype(), scope);
  TensorBase result;
  const TensorBase *operands[] = {&x, value.get()};
  dispatch::call(opid::SliceScatter, operands, attrs, {&result, 1}, scope.location());
  return result;
}

static bool isOne(Scalar s) { return s.toDouble() == 1; }

/// a op (alpha * b); on f16 and bf16 rounded once.
static Tensor addScaled(const Operand &a, const Operand &b, Scalar alpha, const CallScope &scope,
                        Tensor (*op)(const Operand &, const Operand &, SourceLocation)) {
  const SourceLocation &loc = scope.location();
  const DType type = dispatch::promote(scope, "add", {&a, &b});
  if (!isHalf(type)) return op(a, mul(b, alpha, loc), loc);
  const dispatch::InF32 x(a, type, scope), y(b, type, scope);
  return dispatch::narrowed(op(x.operand(), mul(y.operand(), alpha, loc), loc), type, scope);
}

Tensor add(const Operand &a, const Operand &b, Scalar alpha, SourceLocation loc) {
  const CallScope scope(loc);
  return isOne(alpha) ? add(a, b, loc) : addScaled(a, b, alpha, scope, add);
}

Tensor sub(const Operand &a, const Operand &b, Scalar alpha, SourceLocation loc) {
  const CallScope scope(loc);
  return isOne(alpha) ? sub(a, b, loc) : addScaled(a, b, alpha, scope, sub);
}

Tensor clamp(const Tensor &x, const Operand &min, std::nullopt_t, SourceLocation loc) { return clamp_min(x, min, loc); }
Tensor clamp(const Tensor &x, std::nullopt_t, const Operand &max, SourceLocation loc) { return clamp_max(x, max, loc); }

} // namespace tensorjit
