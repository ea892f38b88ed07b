#pragma once
/// Types of arguments that are no tensors.
#include "tensorjit/shape.h"

#include <cstdint>

namespace tensorjit {

/// A size, stride or padding along the two dims of an image plane: `3` is `{3, 3}`.
struct IntPair {
  IntPair(int64_t both) : h(both), w(both) {}
  IntPair(int64_t h, int64_t w) : h(h), w(w) {}
  int64_t h, w;
  Shape shape() const { return {h, w}; }
};

/// What becomes of the losses of the rows of a batch.
enum class Reduction : int64_t { None, Mean, Sum };

} // namespace tensorjit
