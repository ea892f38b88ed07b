#pragma once
/// Functions in torch's spelling that are made of ops: other ways to ask for a view, and arguments that ops do not
/// have.
#include "tensorjit/operand.h"
#include "tensorjit/padding_mode.h"
#include "tensorjit/tensor.h"

#include <concepts>
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
/// Without those of the dims whose size is 1.
Tensor squeeze(const Tensor &x, const Shape &dims, SourceLocation loc = SourceLocation::current());
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
/// Parts of the given sizes. Throws `shape_error` where they do not add up.
std::vector<Tensor> split(const Tensor &x, const Shape &split_sizes, int64_t dim = 0,
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
/// The same with the elements of x continued beyond its ends: by "reflect" without the last one, by "replicate" of the
/// last one, by "circular" from the other end, or as "constant" by `value`. Throws `value_error` for another mode, and
/// for more than size - 1 (reflect) or size (circular) elements.
Tensor pad(const Tensor &x, const Shape &amounts, const char *mode, Scalar value = 0.0,
           SourceLocation loc = SourceLocation::current());
/// Each of the tensors of rank 1 repeated along the dims that the others run along; "xy" swaps the first two dims.
std::vector<Tensor> meshgrid(const std::vector<Tensor> &tensors, const std::string &indexing = "ij",
                             SourceLocation loc = SourceLocation::current());

// Elements by position

/// x[i, j, ...] with index tensors that broadcast together and take the place of dims dim, dim + 1, ...; negative
/// positions count from the end. A bool tensor stands for the positions of its true elements, which are read on the
/// host: a recording's segment ends there. Throws `index_error` for a position out of range, `shape_error` where index
/// tensors do not broadcast or a mask does not fit, `type_error` for positions that are not i64 or i32.
Tensor index(const Tensor &x, const std::vector<Tensor> &indices, int64_t dim = 0,
             SourceLocation loc = SourceLocation::current());
/// A copy of x with the elements that `index` would read replaced by `value`, or `value` added to them; its sizes
/// broadcast. Of values for one element the last in row-major order stays, or all are added in that order. Throws as
/// `index`.
Tensor index_put(const Tensor &x, const std::vector<Tensor> &indices, const Operand &value, bool accumulate = false,
                 int64_t dim = 0, SourceLocation loc = SourceLocation::current());
/// A copy of x with src[i][j] joined to y[index[i][j]][j] for dim 0, and so on, by "sum", "mean", "prod", "amax" or
/// "amin"; without `include_self` the elements of x that are written to do not take part. Throws `value_error` for
/// another name, else as `scatter`. prod has no derivative.
Tensor scatter_reduce(const Tensor &x, int64_t dim, const Tensor &index, const Tensor &src, const std::string &reduce,
                      bool include_self = true, SourceLocation loc = SourceLocation::current());
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

/// Products of tensors, summed over the letters that the result lacks: "ij,jk->ik" multiplies matrices, "ii->i" takes a
/// diagonal, "bij->b" sums. Without "->" the result has the letters that occur once, in alphabetical order. "..."
/// stands for dims that broadcast; dims of size 1 broadcast too. Throws `value_error` for a malformed equation,
/// `shape_error` where ranks or sizes do not fit it.
Tensor einsum(const std::string &equation, const std::vector<Tensor> &operands,
              SourceLocation loc = SourceLocation::current());

/// Convolutions that pad by name: `kValid` (or "valid") pads nothing, `kSame` ("same") so that the result has the sizes
/// of the input; where the two sides cannot get the same, the end of a dim gets the extra cell. Throws `value_error`
/// for kSame with a stride other than 1.
Tensor conv1d(const Tensor &x, const Tensor &w, const Tensor &b, int64_t stride, PaddingMode padding,
              int64_t dilation = 1, int64_t groups = 1, SourceLocation loc = SourceLocation::current());
Tensor conv2d(const Tensor &x, const Tensor &w, const Tensor &b, IntPair stride, PaddingMode padding,
              IntPair dilation = 1, int64_t groups = 1, SourceLocation loc = SourceLocation::current());
Tensor conv3d(const Tensor &x, const Tensor &w, const Tensor &b, const Dims &stride, PaddingMode padding,
              const Dims &dilation = 1, int64_t groups = 1, SourceLocation loc = SourceLocation::current());

/// softmax(q k^T * scale) v, where a bool mask hides keys, a float mask is added, and with `is_causal` query i sees
/// keys up to i + causal_offset. Rows that see nothing are 0. Weights become 0 with probability `dropout_p`, the others
/// are scaled by 1 / (1 - dropout_p); `value_error` outside [0, 1]. `scale` defaults to 1 / sqrt(width of q).
Tensor scaled_dot_product_attention(const Tensor &q, const Tensor &k, const Tensor &v, const Tensor &mask = {},
                                    double dropout_p = 0, bool is_causal = false, int64_t causal_offset = 0,
                                    std::optional<double> scale = std::nullopt,
                                    SourceLocation loc = SourceLocation::current());
/// A bool for `dropout_p` is meant for `is_causal`.
template <std::same_as<bool> B, class... Rest>
Tensor scaled_dot_product_attention(const Tensor &q, const Tensor &k, const Tensor &v, const Tensor &mask, B is_causal,
                                    Rest...) = delete;

// Activation

/// While training each element becomes 0 with probability p and the others are scaled by 1 / (1 - p); else x itself,
/// and no random numbers are drawn. Throws `value_error` for p outside [0, 1].
Tensor dropout(const Tensor &x, double p, bool train, SourceLocation loc = SourceLocation::current());

} // namespace tensorjit
