#pragma once
/// Nested loops over the positions of several tensors at once, with dims that lie together in every tensor merged.
#include "eager/EagerCall.h"

#include <array>

namespace tensorjit::eager {

/// Strides with which a tensor is walked over `sizes`, which it broadcasts to.
Shape broadcastStrides(const TensorView &t, const Shape &sizes);

template <size_t N> struct LoopNest {
  Shape sizes;
  std::array<Shape, N> strides; ///< in elements
};

/// Merges neighbouring dims and drops dims of size 1. At least one dim is left.
template <size_t N> LoopNest<N> mergeDims(const Shape &sizes, const std::array<Shape, N> &strides, size_t count = N) {
  LoopNest<N> nest;
  for (size_t d = 0; d < sizes.rank(); ++d) {
    if (sizes[d] == 1) continue;
    const size_t last = nest.sizes.rank() - 1;
    bool merges = !nest.sizes.empty();
    for (size_t k = 0; merges && k < count; ++k) merges = nest.strides[k][last] == strides[k][d] * sizes[d];
    if (merges) {
      nest.sizes[last] *= sizes[d];
      for (size_t k = 0; k < count; ++k) nest.strides[k][last] = strides[k][d];
    } else {
      nest.sizes.push_back(sizes[d]);
      for (size_t k = 0; k < count; ++k) nest.strides[k].push_back(strides[k][d]);
    }
  }
  if (nest.sizes.empty()) {
    nest.sizes.push_back(1);
    for (size_t k = 0; k < count; ++k) nest.strides[k].push_back(1);
  }
  return nest;
}

/// Walks the rows (innermost runs) of one strided tensor from a row-major position on.
class RowWalker {
public:
  RowWalker(const Shape &sizes, const Shape &strides, int64_t start) : sizes_(sizes), strides_(strides) {
    for (size_t d = sizes.rank(); d-- > 0;) {
      index_[d] = start % sizes[d];
      start /= sizes[d];
      offset_ += index_[d] * strides[d];
    }
  }
  int64_t offset() const { return offset_; } ///< of the current position, in elements
  int64_t stride() const { return strides_.back(); }
  int64_t left() const { return sizes_.back() - index_[sizes_.rank() - 1]; } ///< positions to the end of this row
  void advance(int64_t n) {                                                  ///< n <= left()
    size_t d = sizes_.rank() - 1;
    index_[d] += n;
    offset_ += n * strides_[d];
    while (index_[d] == sizes_[d] && d > 0) {
      offset_ -= sizes_[d] * strides_[d];
      index_[d--] = 0;
      ++index_[d];
      offset_ += strides_[d];
    }
  }

private:
  const Shape &sizes_, &strides_;
  std::array<int64_t, Shape::maxRank> index_{};
  int64_t offset_ = 0;
};

} // namespace tensorjit::eager
