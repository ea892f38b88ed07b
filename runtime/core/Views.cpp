#include "core/Views.h"
#include "op/ShapeIds.h"

#include <algorithm>

namespace tensorjit {

/// Strides of `result` over elements that are walked in the same row-major order, if there are any: every block of
/// old dims that lie together in memory must be split or merged as a whole.
static std::optional<Shape> reshapeStrides(const Shape &sizes, const Shape &strides, const Shape &result) {
  if (sizes.numel() == 0) return result.denseStrides();
  Shape out = result.denseStrides();
  size_t r = result.rank();
  int64_t blockNumel = 1, resultNumel = 1;
  int64_t blockStride = sizes.empty() ? 1 : strides.back();
  for (size_t d = sizes.rank(); d-- > 0;) {
    blockNumel *= sizes[d];
    const bool blockEnds = d == 0 || (sizes[d - 1] != 1 && strides[d - 1] != blockNumel * blockStride);
    if (!blockEnds) continue;
    while (r > 0 && (resultNumel < blockNumel || result[r - 1] == 1)) {
      --r;
      out[r] = resultNumel * blockStride;
      resultNumel *= result[r];
    }
    if (resultNumel != blockNumel) return std::nullopt;
    if (d > 0) {
      blockStride = strides[d - 1];
      blockNumel = resultNumel = 1;
    }
  }
  return out;
}

std::optional<ViewGeometry> viewGeometry(const TensorImpl &t, OpId op, const Attrs &attrs, const Shape &result) {
  AttrReader read(attrs);
  ViewGeometry g{result, result, t.offset};
  switch (op) {
  case opid::Reshape: {
    auto strides = reshapeStrides(t.sizes, t.strides, result);
    if (!strides) return std::nullopt;
    g.strides = *strides;
    return g;
  }
  case opid::Permute: {
    const Shape dims = read.ints();
    for (size_t i = 0; i < dims.rank(); ++i) g.strides[i] = t.strides[static_cast<size_t>(dims[i])];
    return g;
  }
  case opid::BroadcastTo: {
    const size_t lead = result.rank() - t.sizes.rank();
    for (size_t i = 0; i < result.rank(); ++i)
      g.strides[i] = i < lead || (t.sizes[i - lead] == 1 && result[i] != 1) ? 0 : t.strides[i - lead];
    return g;
  }
  case opid::Slice: {
    const size_t dim = static_cast<size_t>(read.integer());
    const int64_t start = read.integer(), stop = read.integer(), step = read.integer();
    static_cast<void>(stop);
    g.strides = t.strides;
    g.strides[dim] *= step;
    if (result[dim] > 0) g.offset += start * t.strides[dim];
    return g;
  }
  default: return std::nullopt;
  }
}

} // namespace tensorjit
