#pragma once
#include "core/TensorImpl.h"
#include "tensorjit/tensor.h"

namespace tensorjit {

/// Applies a view's steps, first to last, to `base`, as ops.
Tensor applyView(const Tensor &base, const ViewStep *steps);

/// The value of `base` with the window that `steps` select replaced by `value`, as ops (slice_scatter, and permutes and
/// reshapes back). The window has no overlap.
Tensor writeThrough(const Tensor &base, const ViewStep *steps, const Tensor &value);

} // namespace tensorjit
