#pragma once
#include "eager/EagerCall.h"

namespace tensorjit::eager {

/// The elements of `from` in row-major order.
void copyToDense(const TensorView &from, void *to);
/// Same dtype; `from` broadcasts to the sizes of `to`. The memories do not overlap.
void copyStrided(const TensorView &from, const TensorView &to);

/// Copies `n` positions of a strided tensor, starting at row-major position `start`, to dense memory, and back.
void gatherRun(const char *data, size_t itemBytes, const Shape &sizes, const Shape &strides, int64_t start, int64_t n,
               char *dense);
void scatterRun(char *data, size_t itemBytes, const Shape &sizes, const Shape &strides, int64_t start, int64_t n,
                const char *dense);

} // namespace tensorjit::eager
