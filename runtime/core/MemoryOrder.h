#pragma once
#include "tensorjit/shape.h"

#include <cstdint>

namespace tensorjit {

/// The order in which a tensor's dims lie in memory, outermost first: {0, 2, 3, 1} is an NCHW image with its channels
/// last. A plain word, so that it can be part of keys.
class MemoryOrder {
public:
  constexpr MemoryOrder() = default; ///< row-major
  /// `dims`: a permutation of [0, rank), or empty for row-major.
  explicit MemoryOrder(const Shape &dims);

  bool isRowMajor() const { return packed_ == 0; }
  /// The permutation; empty for row-major.
  Shape dims() const;
  /// Whether a tensor of these sizes lies otherwise than row-major: not where only dims of size 1 change places.
  bool reorders(const Shape &sizes) const;
  /// Strides, in elements, of a dense tensor of these sizes that lies in this order.
  Shape strides(const Shape &sizes) const;
  friend bool operator==(MemoryOrder, MemoryOrder) = default;

private:
  uint32_t packed_ = 0; ///< dim i of the order in bits [4 i, 4 i + 3), bit 4 i + 3 set; 0: row-major
};

} // namespace tensorjit
