#pragma once
/// Makes the arguments of a call canonical before they are recorded, so that equal calls have equal attributes.
#include "core/Dispatch.h"

#include <optional>

namespace tensorjit {

/// Dims in [0, rank), sorted; an empty list means all. Throws `index_error` out of range, `shape_error` for duplicates.
Shape normalizeDims(const dispatch::CallScope &scope, const char *op, const Shape &dims, const Shape &sizes);

/// One dim in [0, rank), where rank 0 counts as 1. Throws `index_error`.
int64_t normalizeDim(const dispatch::CallScope &scope, const char *op, int64_t dim, const Shape &sizes);

/// A list of one dim, or of all.
Shape normalizeOneOrAllDims(const dispatch::CallScope &scope, const char *op, std::optional<int64_t> dim,
                            const Shape &sizes);

/// A number for each of three dims of space: one stands for all. Throws `value_error` for another count.
Shape normalizeTriple(const dispatch::CallScope &scope, const char *op, const Shape &numbers, const Shape &sizes);

/// Each dim once, in [0, rank), in the order given. Throws `index_error`, `shape_error`.
Shape normalizePermutation(const dispatch::CallScope &scope, const char *op, const Shape &dims, const Shape &sizes);

/// The sizes of a reshape with -1 replaced by what is left over. Throws `shape_error`.
Shape normalizeReshape(const dispatch::CallScope &scope, const char *op, const Shape &wanted, const Shape &sizes);

/// The sizes of a broadcast with -1 replaced by the size at hand. Throws `shape_error`.
Shape normalizeBroadcast(const dispatch::CallScope &scope, const char *op, const Shape &wanted, const Shape &sizes);

/// A slice whose bounds lie inside the dim: what the ops `slice` and `slice_scatter` take.
struct SliceRange {
  int64_t dim, start, stop, step;
};

/// Python's rules: negative bounds count from the end once, then bounds are clamped; a negative step walks down.
/// Throws `index_error` for the dim, `value_error` for step 0.
SliceRange normalizeSlice(const dispatch::CallScope &scope, const char *op, int64_t dim, std::optional<int64_t> start,
                          std::optional<int64_t> stop, int64_t step, const Shape &sizes);

} // namespace tensorjit
