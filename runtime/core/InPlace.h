#pragma once
#include "tensorjit/tensor_base.h"

namespace tensorjit::dispatch {

/// Gives `target`, a base tensor or a view, the value of `value`, which has its sizes and dtype: visible through every
/// tensor that shares the storage. On the tape, target's gradient now flows to `value`.
/// Throws `grad_error` for a leaf that requires grad outside no_grad, `alias_error` for overlapping elements.
void assign(TensorBase &target, const TensorBase &value, const SourceLocation &loc);

/// `assign` for a result of the op that messages name. Throws `shape_error` and `type_error` where the value has not
/// the target's sizes and dtype; nothing has changed then.
void replace(TensorBase &target, const TensorBase &value, const char *op, const SourceLocation &loc);

/// A dense tensor of the same elements on a storage of its own.
TensorBase copyOf(const TensorBase &x, const SourceLocation &loc);

} // namespace tensorjit::dispatch
