#pragma once
/// Kernels over windows work on three dims of space: depth, height and width. A plane has depth 1, a line height 1 too.
#include "tensorjit/shape.h"

namespace tensorjit::eager {

/// The last dims of [n x c x space].
inline Shape spaceOf(const Shape &sizes) { return Shape(std::span(sizes.begin() + 2, sizes.rank() - 2)); }

/// Numbers of one to three dims of space as of three; `missing` for those that are not there.
inline void asVolume(const Shape &numbers, int64_t missing, int64_t (&to)[3]) {
  const size_t lead = 3 - numbers.rank();
  for (size_t i = 0; i < 3; ++i) to[i] = i < lead ? missing : numbers[i - lead];
}

} // namespace tensorjit::eager
