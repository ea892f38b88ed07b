#pragma once
#include "tensorjit/tensor.h"

namespace tensorjit::dispatch {

/// Gives `target`, a base tensor or a view, the value of `value`, which has its sizes and dtype: visible through every
/// tensor that shares the storage. On the tape, target's gradient now flows to `value`.
/// Throws `grad_error` for a leaf that requires grad outside no_grad, `alias_error` for overlapping elements.
void assign(Tensor &target, const Tensor &value, const SourceLocation &loc);

/// `assign` for a result of the op that messages name. Throws `shape_error` and `type_error` where the value has not
/// the target's sizes and dtype; nothing has changed then.
Tensor &replace(Tensor &target, const Tensor &value, const char *op, const SourceLocation &loc);

/// A dense tensor of the same elements on a storage of its own.
Tensor copyOf(const Tensor &x, const SourceLocation &loc);

} // namespace tensorjit::dispatch
