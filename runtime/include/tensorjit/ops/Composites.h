#pragma once
/// Functions in torch's spelling that are made of ops: other ways to ask for a view, and arguments that ops do not
/// have.
#include "tensorjit/operand.h"
#include "tensorjit/tensor.h"

#include <optional>
#include <vector>

namespace tensorjit {

using OptionalInt = std::optional<int64_t>;

// Views: they share their elements with x.

/// Same as `reshape`.
Tensor view(const Tensor &x, const Shape &sizes, SourceLocation loc = SourceLocation::current());
/// Dims [start, end] become one.
Tensor flatten(const Tensor &x, int64_t start_dim = 0, int64_t end_dim = -1,
               SourceLocation loc = SourceLocation::current());
/// A new dim of size 1 before `dim`, in [-rank-1, rank].
Tensor unsqueeze(const Tensor &x, int64_t dim, SourceLocation loc = SourceLocation::current());
/// Without dims of size 1; with `dim`, without that one if its size is 1.
Tensor squeeze(const Tensor &x, OptionalInt dim = std::nullopt, SourceLocation loc = SourceLocation::current());
Tensor transpose(const Tensor &x, int64_t a, int64_t b, SourceLocation loc = SourceLocation::current());
/// The transpose of a matrix; tensors of lower rank unchanged. Throws `shape_error` above rank 2.
Tensor t(const Tensor &x, SourceLocation loc = SourceLocation::current());
/// Same as `broadcast_to`.
Tensor expand(const Tensor &x, const Shape &sizes, SourceLocation loc = SourceLocation::current());
/// Python's x[start:end:step] along one dim; bounds are clamped. Throws `value_error` for step 0.
Tensor slice(const Tensor &x, int64_t dim = 0, OptionalInt start = std::nullopt, OptionalInt end = std::nullopt,
             int64_t step = 1, SourceLocation loc = SourceLocation::current());
/// `length` positions from `start`. Throws `index_error` where they do not all exist.
Tensor narrow(const Tensor &x, int64_t dim, int64_t start, int64_t length,
              SourceLocation loc = SourceLocation::current());
/// One position, without the dim. Throws `index_error` out of range.
Tensor select(const Tensor &x, int64_t dim, int64_t index, SourceLocation loc = SourceLocation::current());
/// Parts of `split_size` positions, the last one shorter where it does not divide.
std::vector<Tensor> split(const Tensor &x, int64_t split_size, int64_t dim = 0,
                          SourceLocation loc = SourceLocation::current());
/// At most `chunks` parts of equal size, the last one shorter where it does not divide.
std::vector<Tensor> chunk(const Tensor &x, int64_t chunks, int64_t dim = 0,
                          SourceLocation loc = SourceLocation::current());

/// A copy of x whose slice is replaced by `v`.
Tensor slice_scatter(const Tensor &x, const Tensor &v, int64_t dim = 0, OptionalInt start = std::nullopt,
                     OptionalInt end = std::nullopt, int64_t step = 1, SourceLocation loc = SourceLocation::current());

// Arithmetic

/// a + alpha * b; the product rounds on its own.
Tensor add(const Operand &a, const Operand &b, Scalar alpha, SourceLocation loc = SourceLocation::current());
/// a - alpha * b; the product rounds on its own.
Tensor sub(const Operand &a, const Operand &b, Scalar alpha, SourceLocation loc = SourceLocation::current());
/// clamp_min and clamp_max: with one bound only.
Tensor clamp(const Tensor &x, Scalar min, std::nullopt_t max = std::nullopt,
             SourceLocation loc = SourceLocation::current());
Tensor clamp(const Tensor &x, std::nullopt_t min, Scalar max, SourceLocation loc = SourceLocation::current());

// Contraction

/// torch's matmul: dot product of vectors, matrix with vector, matrices, and batches whose leading dims broadcast.
/// Throws `shape_error` for a 0-d operand or where the inner sizes differ.
Tensor matmul(const Tensor &a, const Tensor &b, SourceLocation loc = SourceLocation::current());
/// Two matrices. Throws `shape_error` for other ranks.
Tensor mm(const Tensor &a, const Tensor &b, SourceLocation loc = SourceLocation::current());
/// Two batches of matrices. Throws `shape_error` for other ranks.
Tensor bmm(const Tensor &a, const Tensor &b, SourceLocation loc = SourceLocation::current());

} // namespace tensorjit
