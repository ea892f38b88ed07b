#pragma once
/// Functions in torch's spelling that are made of ops: other ways to ask for a view, and arguments that ops do not
/// have.
#include "tensorjit/operand.h"
#include "tensorjit/tensor.h"

#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace tensorjit {

using OptionalInt = std::optional<int64_t>;

// Views: they share their elements with x.

/// Same as `reshape`.
Tensor view(const Tensor &x, const Shape &sizes, SourceLocation loc = SourceLocation::current());
/// The bytes of x as elements of another dtype: `bitcast`.
Tensor view(const Tensor &x, DType dtype, SourceLocation loc = SourceLocation::current());
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
Tensor clamp(const Tensor &x, const Operand &min, std::nullopt_t max = std::nullopt,
             SourceLocation loc = SourceLocation::current());
Tensor clamp(const Tensor &x, std::nullopt_t min, const Operand &max, SourceLocation loc = SourceLocation::current());
/// Quotients rounded: "floor" is floor_divide, "trunc" goes towards 0. Throws `value_error` for another rounding.
Tensor div(const Operand &a, const Operand &b, const std::string &rounding,
           SourceLocation loc = SourceLocation::current());
/// "none" is gelu, "tanh" its approximation gelu_tanh. Throws `value_error` for another.
Tensor gelu(const Tensor &x, const std::string &approximate, SourceLocation loc = SourceLocation::current());
/// NaN and infinities replaced: by 0, and by the largest and lowest number of the dtype, unless said otherwise.
Tensor nan_to_num(const Tensor &x, double nan = 0, std::optional<double> posinf = std::nullopt,
                  std::optional<double> neginf = std::nullopt, SourceLocation loc = SourceLocation::current());

// Reduction

/// As amax and amin over all elements.
Tensor max(const Tensor &x, SourceLocation loc = SourceLocation::current());
Tensor min(const Tensor &x, SourceLocation loc = SourceLocation::current());
/// The extreme elements of a dim and their positions, by the rules of argmax and argmin.
std::tuple<Tensor, Tensor> max(const Tensor &x, int64_t dim, bool keepdim = false,
                               SourceLocation loc = SourceLocation::current());
std::tuple<Tensor, Tensor> min(const Tensor &x, int64_t dim, bool keepdim = false,
                               SourceLocation loc = SourceLocation::current());
/// Smallest and largest element, over one dim or all.
std::tuple<Tensor, Tensor> aminmax(const Tensor &x, OptionalInt dim = std::nullopt, bool keepdim = false,
                                   SourceLocation loc = SourceLocation::current());
/// The middle element of all in order, the lower of two; NaN if there is one. Throws `shape_error` over no elements.
Tensor median(const Tensor &x, SourceLocation loc = SourceLocation::current());
/// torch's order of arguments: the elements are cast to `dtype` first.
Tensor cumsum(const Tensor &x, int64_t dim, DType dtype, SourceLocation loc = SourceLocation::current());
Tensor cumprod(const Tensor &x, int64_t dim, DType dtype, SourceLocation loc = SourceLocation::current());

// Joins

/// Tensors one behind the other along a dim; other sizes equal, dtypes promote. Throws `value_error` for an empty list.
Tensor cat(const std::vector<Tensor> &tensors, int64_t dim = 0, SourceLocation loc = SourceLocation::current());
/// Tensors of one size along a new dim.
Tensor stack(const std::vector<Tensor> &tensors, int64_t dim = 0, SourceLocation loc = SourceLocation::current());
/// cat along dim 1, of vectors along dim 0.
Tensor hstack(const std::vector<Tensor> &tensors, SourceLocation loc = SourceLocation::current());
/// cat along dim 0, vectors as rows.
Tensor vstack(const std::vector<Tensor> &tensors, SourceLocation loc = SourceLocation::current());
/// Two amounts a dim, last dim first: `value` added before and behind, or where negative, elements taken away. Throws
/// `shape_error` where more is taken than there is.
Tensor pad(const Tensor &x, const Shape &amounts, Scalar value = 0.0, SourceLocation loc = SourceLocation::current());
/// gather with sizes that broadcast; without a dim, of x and index as rows.
Tensor take_along_dim(const Tensor &x, const Tensor &index, OptionalInt dim = std::nullopt,
                      SourceLocation loc = SourceLocation::current());
/// i64: 1 at each class, 0 elsewhere, along a new last dim. Throws `index_error` for a class outside [0, count).
Tensor one_hot(const Tensor &classes, int64_t count, SourceLocation loc = SourceLocation::current());

// Losses and normalisation

/// With a weight for each class; the mean divides by the sum of the weights of the rows' classes.
Tensor nll_loss(const Tensor &x, const Tensor &target, const Tensor &weight, Reduction reduction = Reduction::Mean,
                int64_t ignore_index = -100, SourceLocation loc = SourceLocation::current());
Tensor cross_entropy(const Tensor &x, const Tensor &target, const Tensor &weight, Reduction reduction = Reduction::Mean,
                     int64_t ignore_index = -100, double label_smoothing = 0,
                     SourceLocation loc = SourceLocation::current());
/// (x - mean) / sqrt(var + eps) * weight + bias with a given mean and variance for each channel.
Tensor batch_norm(const Tensor &x, const Tensor &running_mean, const Tensor &running_var, const Tensor &weight = {},
                  const Tensor &bias = {}, double eps = 1e-5, SourceLocation loc = SourceLocation::current());

// Contraction

/// torch's matmul: dot product of vectors, matrix with vector, matrices, and batches whose leading dims broadcast.
/// Throws `shape_error` for a 0-d operand or where the inner sizes differ.
Tensor matmul(const Tensor &a, const Tensor &b, SourceLocation loc = SourceLocation::current());
/// Two matrices. Throws `shape_error` for other ranks.
Tensor mm(const Tensor &a, const Tensor &b, SourceLocation loc = SourceLocation::current());
/// Two batches of matrices. Throws `shape_error` for other ranks.
Tensor bmm(const Tensor &a, const Tensor &b, SourceLocation loc = SourceLocation::current());

/// softmax(q k^T * scale) v, where a bool mask hides keys, a float mask is added, and with `is_causal` query i sees
/// keys up to i + causal_offset. Rows that see nothing are 0. `scale` defaults to 1 / sqrt(width of q).
Tensor scaled_dot_product_attention(const Tensor &q, const Tensor &k, const Tensor &v, const Tensor &mask = {},
                                    bool is_causal = false, int64_t causal_offset = 0,
                                    std::optional<double> scale = std::nullopt,
                                    SourceLocation loc = SourceLocation::current());

} // namespace tensorjit
