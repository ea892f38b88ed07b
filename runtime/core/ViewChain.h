#pragma once
#include "core/TensorImpl.h"
#include "tensorjit/tensor_base.h"

namespace tensorjit {

/// `x` with its dims in another order, as an op.
TensorBase permuted(const TensorBase &x, const Shape &dims);

/// Applies a view's steps, first to last, to `base`, as ops.
TensorBase applyView(const TensorBase &base, const ViewStep *steps);

/// The value of `base` with the window that `steps` select replaced by `value`, as ops (slice_scatter, and permutes and
/// reshapes back). The window has no overlap.
TensorBase writeThrough(const TensorBase &base, const ViewStep *steps, const TensorBase &value);

} // namespace tensorjit
