#include "core/MemoryOrder.h"

#include <algorithm>

namespace tensorjit {

static_assert(Shape::maxRank <= 8, "a dim takes four bits of a word");

MemoryOrder::MemoryOrder(const Shape &dims) {
  if (std::is_sorted(dims.begin(), dims.end())) return;
  for (size_t i = 0; i < dims.rank(); ++i) packed_ |= static_cast<uint32_t>(dims[i] | 8) << 4 * i;
}

Shape MemoryOrder::dims() const {
  Shape dims;
  for (uint32_t rest = packed_; rest; rest >>= 4) dims.push_back(rest & 7);
  return dims;
}

bool MemoryOrder::reorders(const Shape &sizes) const {
  int64_t last = -1;
  for (int64_t d : dims()) {
    if (sizes[static_cast<size_t>(d)] == 1) continue;
    if (d < last) return true;
    last = d;
  }
  return false;
}

Shape MemoryOrder::strides(const Shape &sizes) const {
  if (isRowMajor()) return sizes.denseStrides();
  const Shape order = dims();
  Shape inMemory;
  for (int64_t d : order) inMemory.push_back(sizes[static_cast<size_t>(d)]);
  const Shape inner = inMemory.denseStrides();
  Shape strides = sizes;
  for (size_t i = 0; i < order.rank(); ++i) strides[static_cast<size_t>(order[i])] = inner[i];
  return strides;
}

} // namespace tensorjit
