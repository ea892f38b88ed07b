#pragma once
#include "eager/Cast.h"
#include "eager/Dense.h"
#include "execute/KernelAbi.h"

#include <array>
#include <vector>

namespace tensorjit::eager {

/// A tensor of positions as i64 in row-major order: its own memory where that is what it is, or a copy.
class Positions {
public:
  explicit Positions(const TensorView &t) : count_(t.sizes.numel()) {
    if (t.dtype == DType::I64 && t.isDense()) {
      data_ = static_cast<const int64_t *>(t.data);
      return;
    }
    copy_.resize(static_cast<size_t>(count_));
    castDense(Dense(t).data(), t.dtype, copy_.data(), DType::I64, count_);
    data_ = copy_.data();
  }
  Positions(const Positions &) = delete;

  int64_t size() const { return count_; }
  int64_t operator[](int64_t i) const { return data_[i]; }
  /// Reports the first position outside [0, bound).
  void check(int64_t bound, ErrorSlot &error) const {
    for (int64_t i = 0; i < count_; ++i)
      if (data_[i] < 0 || data_[i] >= bound) {
        error = {1, 0, i, data_[i]};
        return;
      }
  }

private:
  int64_t count_;
  const int64_t *data_;
  std::vector<int64_t> copy_;
};

/// How a dense tensor looks along one dim: element (o, p, c) lies at (o * size + p) * inner + c.
struct Slabs {
  int64_t outer = 1, size = 1, inner = 1;
  Slabs(const Shape &sizes, size_t dim) {
    for (size_t d = 0; d < sizes.rank(); ++d) (d < dim ? outer : d == dim ? size : inner) *= sizes[d];
  }
};

/// Calls `each(i, at, counter)` for the positions of a tensor in row-major order: `i` is the place in the list, `at`
/// the element of a dense tensor of `sizes` that position i names along `dim`, `counter` where the list stands. Reports
/// the first position out of range and passes over all of those.
template <class Each>
void forEachPosition(const TensorView &index, const Shape &sizes, size_t dim, ErrorSlot &error, Each each) {
  const Positions positions(index);
  const Shape strides = sizes.denseStrides();
  const int64_t bound = sizes.empty() ? 1 : sizes[dim];
  std::array<int64_t, Shape::maxRank> counter{};
  for (int64_t i = 0; i < positions.size(); ++i) {
    const int64_t p = positions[i];
    if (p >= 0 && p < bound) {
      int64_t at = 0;
      for (size_t d = 0; d < sizes.rank(); ++d) at += (d == dim ? p : counter[d]) * strides[d];
      each(i, at, counter);
    } else if (!error.set) {
      error = {1, 0, i, p};
    }
    for (size_t d = index.sizes.rank(); d-- > 0;) {
      if (++counter[d] < index.sizes[d]) break;
      counter[d] = 0;
    }
  }
}

} // namespace tensorjit::eager
