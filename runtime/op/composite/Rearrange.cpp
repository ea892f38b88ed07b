// Functions that move elements about: made of views, writes to slices and joins.
#include "core/Dispatch.h"
#include "op/Normalize.h"
#include "tensorjit/ops.h"
#include "trace/Recorder.h"

#include <algorithm>

namespace tensorjit {

using dispatch::CallScope;
using dispatch::fail;

/// A tensor of one number, of x's dtype.
static Tensor filled(const Tensor &x, const Shape &sizes, Scalar value) {
  const trace::DeviceScope device(x.device());
  const Scalar own = isFloat(x.dtype()) ? Scalar(value.toDouble()) : value;
  return broadcast_to(dispatch::fromScalar(own, x.dtype(), SourceLocation::current()), sizes);
}

static Shape requireDims(const CallScope &scope, const char *op, const Shape &dims, const Tensor &x) {
  dispatch::requireDefined(scope, op, "x", x);
  return dims.empty() ? dims : normalizeDims(scope, op, dims, x.sizes());
}

Tensor flip(const Tensor &x, const Dims &dims, SourceLocation loc) {
  const CallScope scope(loc);
  Tensor y = x;
  for (int64_t d : requireDims(scope, "flip", dims, x))
    if (x.dim() > 0) y = slice(y, d, std::nullopt, std::nullopt, -1);
  return y.clone(); // no alias of x
}

Tensor roll(const Tensor &x, const Dims &shifts, const Dims &dims, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "roll", "x", x);
  if (dims.empty()) {
    if (shifts.size() != 1) fail<shape_error>(scope, "roll: one shift expected without dims");
    return reshape(roll(reshape(x, {x.numel()}), shifts, 0), x.sizes());
  }
  if (shifts.size() != dims.size())
    fail<shape_error>(scope, "roll: " + std::to_string(shifts.size()) + " shifts for " + std::to_string(dims.size()) +
                                 " dims");
  Tensor y = x;
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t d = normalizeDim(scope, "roll", dims[i], x.sizes());
    if (x.dim() == 0) continue;
    const int64_t size = x.size(d);
    if (size == 0) continue;
    const int64_t shift = ((shifts[i] % size) + size) % size;
    if (shift) y = concat(narrow(y, d, size - shift, shift), narrow(y, d, 0, size - shift), d);
  }
  return y.is_same(x) ? x.clone() : y;
}

/// Column minus row over the last two dims.
static Tensor distances(const CallScope &scope, const char *op, const Tensor &x) {
  dispatch::requireDefined(scope, op, "x", x);
  if (x.dim() < 2) fail<shape_error>(scope, std::string(op) + ": rank 2 or more expected, got " + x.sizes().str());
  const int64_t rows = x.size(-2), columns = x.size(-1);
  const trace::DeviceScope device(x.device());
  return sub(iota({1, columns}, 1, DType::I64), iota({rows, 1}, 0, DType::I64));
}

Tensor tril(const Tensor &x, int64_t diagonal, SourceLocation loc) {
  const CallScope scope(loc);
  return where(le(distances(scope, "tril", x), diagonal), x, x.dtype() == DType::Bool ? Scalar(false) : Scalar(0));
}
Tensor triu(const Tensor &x, int64_t diagonal, SourceLocation loc) {
  const CallScope scope(loc);
  return where(ge(distances(scope, "triu", x), diagonal), x, x.dtype() == DType::Bool ? Scalar(false) : Scalar(0));
}

Tensor diagonal(const Tensor &x, int64_t offset, int64_t dim1, int64_t dim2, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "diagonal", "x", x);
  if (x.dim() < 2) fail<shape_error>(scope, "diagonal: rank 2 or more expected, got " + x.sizes().str());
  const int64_t a = normalizeDim(scope, "diagonal", dim1, x.sizes()),
                b = normalizeDim(scope, "diagonal", dim2, x.sizes());
  if (a == b) fail<shape_error>(scope, "diagonal: dim " + std::to_string(a) + " is given twice");
  Shape order, lead;
  for (int64_t d = 0; d < x.dim(); ++d)
    if (d != a && d != b) {
      order.push_back(d);
      lead.push_back(x.size(d));
    }
  order.push_back(a);
  order.push_back(b);
  const int64_t rows = x.size(a), columns = x.size(b);
  const int64_t length =
      std::max<int64_t>(0, offset >= 0 ? std::min(rows, columns - offset) : std::min(rows + offset, columns));
  Shape flat = lead;
  flat.push_back(rows * columns);
  const Tensor cells = reshape(permute(x, order), flat);
  if (length == 0) return slice(cells, -1, 0, 0);
  const int64_t start = offset >= 0 ? offset : -offset * columns;
  return slice(cells, -1, start, start + (length - 1) * (columns + 1) + 1, columns + 1);
}

Tensor diag(const Tensor &x, int64_t offset, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "diag", "x", x);
  if (x.dim() == 2) return tensorjit::diagonal(x, offset).clone();
  if (x.dim() != 1) fail<shape_error>(scope, "diag: rank 1 or 2 expected, got " + x.sizes().str());
  const int64_t n = x.size(0) + std::abs(offset);
  const Tensor zeros = filled(x, {n * n}, x.dtype() == DType::Bool ? Scalar(false) : Scalar(0));
  if (x.size(0) == 0) return reshape(zeros, {n, n});
  const int64_t start = offset >= 0 ? offset : -offset * n;
  return reshape(slice_scatter(zeros, x, 0, start, start + (x.size(0) - 1) * (n + 1) + 1, n + 1), {n, n});
}

Tensor Tensor::trace(SourceLocation loc) const {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "trace", "x", *this);
  if (dim() != 2) fail<shape_error>(scope, "trace: a matrix expected, got " + sizes().str());
  return tensorjit::sum(tensorjit::diagonal(*this));
}

Tensor repeat(const Tensor &x, const Shape &repeats, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "repeat", "x", x);
  if (repeats.rank() < x.sizes().rank())
    fail<shape_error>(scope, "repeat: " + std::to_string(repeats.rank()) + " counts for " + x.sizes().str());
  const size_t lead = repeats.rank() - x.sizes().rank();
  // One dim at a time, so that no more than one dim is added on the way.
  Shape sizes;
  for (size_t i = 0; i < repeats.rank(); ++i) {
    if (repeats[i] < 0) fail<shape_error>(scope, "repeat: a count of " + std::to_string(repeats[i]));
    sizes.push_back(i < lead ? 1 : x.sizes()[i - lead]);
  }
  Tensor y = reshape(x, sizes);
  for (size_t i = 0; i < repeats.rank(); ++i) {
    if (repeats[i] == 1) continue;
    Shape outer, inner;
    for (size_t d = 0; d < i; ++d) outer.push_back(y.sizes()[d]);
    for (size_t d = i; d < sizes.rank(); ++d) inner.push_back(y.sizes()[d]);
    const Tensor rows = reshape(y, {outer.numel(), 1, inner.numel()});
    Shape result = y.sizes();
    result[i] *= repeats[i];
    y = reshape(broadcast_to(rows, {outer.numel(), repeats[i], inner.numel()}), result);
  }
  return y.is_same(x) || repeats == Shape(std::span<const int64_t>(std::vector<int64_t>(repeats.rank(), 1))) ? y.clone()
                                                                                                             : y;
}

Tensor tile(const Tensor &x, const Shape &dims, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "tile", "x", x);
  Shape repeats = dims;
  while (repeats.rank() < x.sizes().rank()) repeats.insert(0, 1);
  return repeat(x, repeats);
}

Tensor repeat_interleave(const Tensor &x, int64_t repeats, std::optional<int64_t> dim, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "repeat_interleave", "x", x);
  if (repeats < 0) fail<value_error>(scope, "repeat_interleave: a count of " + std::to_string(repeats));
  const Tensor rows = dim && x.dim() > 0 ? x : reshape(x, {x.numel()});
  const int64_t d = dim && x.dim() > 0 ? normalizeDim(scope, "repeat_interleave", *dim, x.sizes()) : 0;
  Shape outer, inner, result = rows.sizes();
  for (int64_t i = 0; i < rows.dim(); ++i) (i <= d ? outer : inner).push_back(rows.size(i));
  result[static_cast<size_t>(d)] *= repeats;
  const Tensor cells = reshape(rows, {outer.numel(), 1, inner.numel()});
  const Tensor y = reshape(broadcast_to(cells, {outer.numel(), repeats, inner.numel()}), result);
  return repeats == 1 ? y.clone() : y;
}

Tensor movedim(const Tensor &x, const Dims &source, const Dims &destination, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "movedim", "x", x);
  if (source.size() != destination.size())
    fail<shape_error>(scope, "movedim: " + std::to_string(source.size()) + " dims for " +
                                 std::to_string(destination.size()) + " places");
  std::vector<int64_t> order(x.sizes().rank(), -1);
  std::vector<bool> moved(x.sizes().rank());
  requireDims(scope, "movedim", source, x);
  requireDims(scope, "movedim", destination, x);
  for (size_t i = 0; i < source.size(); ++i) {
    const auto from = static_cast<size_t>(normalizeDim(scope, "movedim", source[i], x.sizes()));
    const auto to = static_cast<size_t>(normalizeDim(scope, "movedim", destination[i], x.sizes()));
    if (x.dim() == 0) return reshape(x, x.sizes());
    order[to] = static_cast<int64_t>(from);
    moved[from] = true;
  }
  size_t next = 0;
  for (int64_t &d : order) {
    if (d >= 0) continue;
    while (moved[next]) ++next;
    d = static_cast<int64_t>(next++);
  }
  return permute(x, Shape(std::span<const int64_t>(order)));
}

Tensor cat(const std::vector<Tensor> &tensors, int64_t dim, SourceLocation loc) {
  const CallScope scope(loc);
  if (tensors.empty()) fail<value_error>(scope, "cat: at least one tensor expected");
  for (const Tensor &t : tensors) {
    dispatch::requireDefined(scope, "cat", "a tensor", t);
    if (t.dim() == 0) fail<shape_error>(scope, "cat: tensors of rank 1 or more expected, got []");
  }
  if (tensors.size() == 1) return tensors[0].clone();
  // Pairs, then pairs of pairs: each element is copied as often as a tree is deep.
  std::vector<Tensor> parts = tensors;
  // An empty list joins anything, as in torch.
  const bool allLists = std::all_of(parts.begin(), parts.end(), [](const Tensor &t) { return t.dim() == 1; });
  if (!allLists) std::erase_if(parts, [](const Tensor &t) { return t.sizes() == Shape({0}); });
  if (parts.size() == 1) return parts[0].clone();
  while (parts.size() > 1) {
    std::vector<Tensor> joined;
    for (size_t i = 0; i + 1 < parts.size(); i += 2) joined.push_back(concat(parts[i], parts[i + 1], dim));
    if (parts.size() % 2) joined.push_back(parts.back());
    parts = std::move(joined);
  }
  return parts[0];
}

Tensor stack(const std::vector<Tensor> &tensors, int64_t dim, SourceLocation loc) {
  const CallScope scope(loc);
  if (tensors.empty()) fail<value_error>(scope, "stack: at least one tensor expected");
  std::vector<Tensor> parts;
  for (const Tensor &t : tensors) {
    dispatch::requireDefined(scope, "stack", "a tensor", t);
    if (t.sizes() != tensors[0].sizes())
      fail<shape_error>(scope, "stack: tensors of one size expected, got " + tensors[0].sizes().str() + " and " +
                                   t.sizes().str());
    parts.push_back(unsqueeze(t, dim));
  }
  return cat(parts, dim < 0 ? dim + tensors[0].dim() + 1 : dim);
}

Tensor hstack(const std::vector<Tensor> &tensors, SourceLocation loc) {
  const CallScope scope(loc);
  std::vector<Tensor> parts;
  for (const Tensor &t : tensors) parts.push_back(t.defined() && t.dim() == 0 ? reshape(t, {1}) : t);
  return cat(parts, !parts.empty() && parts[0].defined() && parts[0].dim() == 1 ? 0 : 1);
}

Tensor vstack(const std::vector<Tensor> &tensors, SourceLocation loc) {
  const CallScope scope(loc);
  std::vector<Tensor> parts;
  for (const Tensor &t : tensors) parts.push_back(t.defined() && t.dim() < 2 ? reshape(t, {1, t.numel()}) : t);
  return cat(parts, 0);
}

std::vector<Tensor> meshgrid(const std::vector<Tensor> &tensors, const std::string &indexing, SourceLocation loc) {
  const CallScope scope(loc);
  if (indexing != "ij" && indexing != "xy")
    fail<value_error>(scope, "meshgrid: indexing ij or xy expected, got " + indexing);
  const bool swaps = indexing == "xy" && tensors.size() > 1;
  Shape sizes;
  for (const Tensor &t : tensors) {
    dispatch::requireDefined(scope, "meshgrid", "a tensor", t);
    if (t.dim() > 1) fail<shape_error>(scope, "meshgrid: tensors of rank 1 expected, got " + t.sizes().str());
    sizes.push_back(t.numel());
  }
  if (swaps) std::swap(sizes[0], sizes[1]);
  std::vector<Tensor> grids;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const size_t axis = swaps && i < 2 ? 1 - i : i;
    Shape along;
    for (size_t d = 0; d < sizes.rank(); ++d) along.push_back(d == axis ? sizes[d] : 1);
    grids.push_back(broadcast_to(reshape(tensors[i], along), sizes));
  }
  return grids;
}

Tensor pad(const Tensor &x, const Shape &amounts, Scalar value, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "pad", "x", x);
  if (amounts.rank() % 2 || amounts.rank() / 2 > x.sizes().rank())
    fail<shape_error>(scope, "pad: two amounts a dim expected, at most for the " + std::to_string(x.dim()) +
                                 " dims of " + x.sizes().str() + ", got " + amounts.str());
  Tensor y = x;
  for (size_t i = 0; i < amounts.rank() / 2; ++i) {
    const int64_t d = x.dim() - 1 - static_cast<int64_t>(i), size = x.size(d), lo = amounts[2 * i],
                  hi = amounts[2 * i + 1];
    if (size + lo + hi < 0)
      fail<shape_error>(scope, "pad: " + std::to_string(lo) + " and " + std::to_string(hi) + " take more than size " +
                                   std::to_string(size));
    if (lo == 0 && hi == 0) continue;
    // Padding first, then cropping: what is kept of x lies between.
    const int64_t from = std::clamp<int64_t>(-lo, 0, size), to = std::clamp<int64_t>(size + hi, from, size);
    Shape sizes = y.sizes();
    sizes[static_cast<size_t>(d)] = size + lo + hi;
    const Tensor kept = slice(y, d, from, to);
    const int64_t at = std::max<int64_t>(0, lo);
    y = slice_scatter(filled(x, sizes, value), kept, d, std::min(at, sizes[static_cast<size_t>(d)]),
                      std::min(at + to - from, sizes[static_cast<size_t>(d)]));
  }
  return y.is_same(x) ? x.clone() : y;
}

} // namespace tensorjit
