#pragma once
/// Arithmetic of windows that slide over the dims of space of [n x c x space].
#include "tensorjit/shape.h"

namespace tensorjit {

/// One number for each dim of space.
struct Windows {
  Shape kernel, stride, padding, dilation;
  /// Cells from the first to the last of a window.
  int64_t reach(size_t i) const { return dilation[i] * (kernel[i] - 1) + 1; }
};

/// Sizes of a pooling of `x`: ceil mode keeps a last window that starts inside the padded input, not one that starts
/// in the padding behind it. Throws `value_error` for a pad above half a window and numbers below 1, `shape_error` for
/// another rank or no window; the text names `op` and no line.
Shape pooledSizes(const char *op, const Shape &x, const Windows &windows, bool ceilMode);

} // namespace tensorjit
