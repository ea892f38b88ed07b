// operator[] with tensors: positions in neighbouring dims become positions in one dim that takes their place.
#include "core/Dispatch.h"
#include "op/IndexIds.h"
#include "op/Normalize.h"
#include "tensorjit/creation.h"
#include "tensorjit/ops.h"

namespace tensorjit {

using dispatch::CallScope;
using dispatch::fail;

namespace {

/// Where the elements lie that index tensors name.
struct Named {
  Tensor rows;   ///< x with one dim in place of the indexed ones
  int64_t dim;   ///< that dim
  Tensor list;   ///< positions along it
  Shape indices; ///< sizes that the index tensors broadcast to

  /// Sizes of a tensor of the elements: `of` in place of the dim.
  Shape with(const Shape &of) const {
    Shape sizes;
    for (int64_t d = 0; d < rows.dim(); ++d) {
      if (d != dim) sizes.push_back(rows.size(d));
      else
        for (int64_t size : of) sizes.push_back(size);
    }
    return sizes;
  }
};

/// A mask names what the positions of its true elements name, one tensor a dim of the mask.
void addMask(const CallScope &scope, const char *op, const Tensor &x, int64_t dim, const Tensor &mask,
             std::vector<Tensor> &indices) {
  bool fits = dim + mask.dim() <= x.dim();
  for (int64_t d = 0; fits && d < mask.dim(); ++d) fits = mask.size(d) == x.size(dim + d);
  if (!fits || mask.dim() == 0)
    fail<shape_error>(scope, std::string(op) + ": a mask of sizes " + mask.sizes().str() + " does not fit dim " +
                                 std::to_string(dim) + " and on of " + x.sizes().str());
  const Tensor where = nonzero(mask);
  for (int64_t d = 0; d < mask.dim(); ++d) indices.push_back(select(where, 1, d));
}

/// Throws `shape_error` where the index tensors do not broadcast.
Shape broadcastSizes(const CallScope &scope, const char *op, const std::vector<Tensor> &indices) {
  Shape sizes;
  for (const Tensor &index : indices) {
    Shape own = index.sizes();
    while (own.rank() < sizes.rank()) own.insert(0, 1);
    while (sizes.rank() < own.rank()) sizes.insert(0, 1);
    for (size_t d = 0; d < own.rank(); ++d) {
      if (own[d] == sizes[d] || own[d] == 1) continue;
      if (sizes[d] != 1)
        fail<shape_error>(scope, std::string(op) + ": index tensors of sizes " + index.sizes().str() + " and " +
                                     sizes.str() + " do not broadcast");
      sizes[d] = own[d];
    }
  }
  return sizes;
}

/// Positions of `index` along a dim of `size`, negative ones counted from the end.
Tensor positionsIn(const CallScope &scope, const Tensor &index, int64_t size) {
  Attrs attrs;
  attrs.addInt(size);
  attrs.addInt(true);
  TensorBase result;
  const TensorBase *operands[] = {&index};
  dispatch::call(opid::Index, operands, attrs, {&result, 1}, scope.location());
  return result;
}

Named named(const CallScope &scope, const char *op, const Tensor &x, const std::vector<Tensor> &given, int64_t first) {
  dispatch::requireDefined(scope, op, "x", x);
  if (given.empty()) fail<value_error>(scope, std::string(op) + ": at least one index tensor expected");
  if (x.dim() == 0) fail<index_error>(scope, std::string(op) + ": a 0-d tensor has no dim to index");
  const int64_t dim = normalizeDim(scope, op, first, x.sizes());
  std::vector<Tensor> indices;
  for (const Tensor &index : given) {
    dispatch::requireDefined(scope, op, "an index tensor", index);
    if (index.dtype() == DType::Bool) addMask(scope, op, x, dim + static_cast<int64_t>(indices.size()), index, indices);
    else indices.push_back(index);
  }
  const auto count = static_cast<int64_t>(indices.size());
  if (dim + count > x.dim())
    fail<index_error>(scope, std::string(op) + ": " + std::to_string(count) + " index tensors from dim " +
                                 std::to_string(dim) + " on are too many for " + x.sizes().str());
  Named result{x, dim, {}, broadcastSizes(scope, op, indices)};
  Tensor list;
  int64_t size = 1;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t own = x.size(dim + i);
    const Tensor positions = positionsIn(scope, indices[static_cast<size_t>(i)], own);
    list = list.defined() ? add(mul(list, own), positions) : positions;
    size *= own;
  }
  if (list.sizes() != result.indices) list = broadcast_to(list, result.indices);
  result.list = reshape(list, {result.indices.numel()});
  if (count > 1) {
    Shape sizes;
    for (int64_t d = 0; d < x.dim(); ++d)
      if (d <= dim || d >= dim + count) sizes.push_back(d == dim ? size : x.size(d));
    result.rows = reshape(x, sizes);
  }
  return result;
}

} // namespace

Tensor index(const Tensor &x, const std::vector<Tensor> &indices, int64_t dim, SourceLocation loc) {
  const CallScope scope(loc);
  const Named at = named(scope, "index", x, indices, dim);
  return reshape(index_select(at.rows, at.dim, at.list), at.with(at.indices));
}

Tensor index_put(const Tensor &x, const std::vector<Tensor> &indices, const Operand &value, bool accumulate,
                 int64_t dim, SourceLocation loc) {
  const CallScope scope(loc);
  const Named at = named(scope, "index_put", x, indices, dim);
  const dispatch::Promoted given(value, x.dtype(), scope);
  const Tensor source = reshape(broadcast_to(*given.get(), at.with(at.indices)), at.with({at.list.numel()}));
  const Tensor y =
      accumulate ? index_add(at.rows, at.dim, at.list, source) : index_copy(at.rows, at.dim, at.list, source);
  return reshape(y, x.sizes());
}

Tensor nonzero(const Tensor &x, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "nonzero", "x", x);
  const Tensor own = x.detach(), mask = (x.dtype() == DType::Bool ? own : ne(own, 0)).cpu().contiguous();
  const Shape &sizes = x.sizes();
  const bool *set = mask.data_ptr<bool>(scope.location());
  std::vector<int64_t> positions;
  const int64_t count = mask.numel();
  Shape at = sizes;
  for (int64_t &d : at) d = 0;
  int64_t found = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (set[i]) {
      positions.insert(positions.end(), at.begin(), at.end());
      ++found;
    }
    for (size_t d = sizes.rank(); d-- > 0;) {
      if (++at[d] < sizes[d]) break;
      at[d] = 0;
    }
  }
  return detail::fromHost(positions.data(), DType::I64, {found, x.dim()}, TensorOptions(DType::I64).device(x.device()),
                          scope.location());
}

Tensor masked_select(const Tensor &x, const Tensor &mask, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "masked_select", "x", x);
  dispatch::requireDefined(scope, "masked_select", "mask", mask);
  if (mask.dtype() != DType::Bool)
    fail<type_error>(scope, std::string("masked_select: a mask of bool expected, got ") + name(mask.dtype()));
  const Shape sizes = broadcastSizes(scope, "masked_select", {x, mask});
  const Tensor all = reshape(broadcast_to(mask, sizes), {sizes.numel()});
  return index_select(reshape(broadcast_to(x, sizes), {sizes.numel()}), 0, select(nonzero(all), 1, 0));
}

} // namespace tensorjit
