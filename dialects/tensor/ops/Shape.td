include "Record.td"

class TJ_View<string mnemonic> : TJ_Op<mnemonic, "View", "E"> {
  let isView = 1;
}

def TJ_ReshapeOp : TJ_View<"reshape"> {
  let summary = "The elements of x in row-major order under other sizes.";
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Sizes<"sizes of the result; one may be -1: what is left over",
                       "normalizeReshape">:$sizes);
  let results = (outs TJ_Result<"of the given sizes">:$y);
  let infer = "reshape";
  let vjp = Vjp<(grads (reshape $g, (sizes $x)))>;
  let errors = "`shape_error` where the number of elements differs.";
  let sample = Calls<["reshape(f32({2, 6}), {3, 4})", "reshape(f32({0, 3}), {3, 0})", "reshape(f32({2, 6}), {-1})"]>;
  let examples = [Example<"reshape(tensor({1.f, 2.f, 3.f, 4.f}), {2, -1})", "[[1, 2], [3, 4]]">];
}
def TJ_PermuteOp : TJ_View<"permute"> {
  let summary = "Dims in another order: dim i of the result is dim dims[i] of x.";
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Permutation<"each dim of x once">:$dims);
  let results = (outs TJ_Result<"sizes of x, permuted">:$y);
  let infer = "permute";
  let vjp = Vjp<(grads (permute $g, (inverse_permutation $dims)))>;
  let errors = "`shape_error` for duplicate or missing dims, `index_error` for a dim out of range.";
  let sample = Calls<["permute(f32({2, 3, 4}), {2, 0, 1})", "permute(f32({1, 5}), {1, 0})"]>;
  let examples = [Example<"permute(tensor({{1.f, 2.f}}), {1, 0})", "[[1], [2]]">];
}
def TJ_BroadcastToOp : TJ_View<"broadcast_to"> {
  let summary = "x repeated along dims of size 1 and along new leading dims.";
  let arguments = (ins TJ_Tensor<"sizes that broadcast to the given ones">:$x,
                       TJ_Sizes<"sizes of the result; -1 keeps the size of x", "normalizeBroadcast">:$sizes);
  let results = (outs TJ_Result<"of the given sizes">:$y);
  let infer = "broadcastTo";
  let vjp = Vjp<(grads $g)>;
  let errors = "`shape_error` where a size of x is neither 1 nor the given one.";
  let sample = Calls<["broadcast_to(f32({3, 1}), {2, 3, 4})", "broadcast_to(f32({}), {2})"]>;
  let examples = [Example<"broadcast_to(tensor({1.f, 2.f}), {2, 2})", "[[1, 2], [1, 2]]">];
}
def TJ_SliceOp : TJ_View<"slice"> {
  let summary = "Positions start, start + step, ... before stop (after it for a negative step) along one dim.";
  let arguments = (ins TJ_Tensor<"rank at least 1">:$x, TJ_Int<"dim in [0, rank)">:$dim,
                       TJ_Int<"first position, in [0, size]">:$start,
                       TJ_Int<"end, not reached; -1 for the start of the dim when step is negative">:$stop,
                       TJ_Int<"distance, not 0">:$step);
  let results = (outs TJ_Result<"size of dim: max(0, ceil((stop - start) / step))">:$y);
  let functions = [];
  let infer = "slice";
  let vjp = VjpFunction<"vjpSlice", (saves)>;
  let errors = "`value_error` for step 0, `index_error` for a dim out of range; bounds are clamped.";
  let sample = Calls<["f32({5, 3}).slice(0, 1, 4, 2)", "f32({5}).slice(0, std::nullopt, std::nullopt, -1)",
                      "f32({5}).slice(0, 4, 2, 1)"]>;
  let examples = [Example<"tensor({1.f, 2.f, 3.f, 4.f}).slice(0, 1, 4, 2)", "[2, 4]">];
}
def TJ_SliceScatterOp : TJ_Op<"slice_scatter", "Shape", "E"> {
  let summary = "A copy of x whose slice is replaced by v.";
  let arguments = (ins TJ_Tensor<"rank at least 1">:$x, TJ_Tensor<"sizes of the slice">:$v, TJ_Int<"dim in [0, rank)">:$dim,
                       TJ_Int<"first position, in [0, size]">:$start, TJ_Int<"end, not reached">:$stop,
                       TJ_Int<"distance, not 0">:$step);
  let results = (outs TJ_Result<"sizes of x">:$y);
  let functions = [];
  let promote = LikeFirst;
  let infer = "sliceScatter";
  let vjp = VjpFunction<"vjpSliceScatter", (saves)>;
  let errors = "`shape_error` where v has not the sizes of the slice.";
  let sample = Calls<["slice_scatter(f32({5, 3}), f32({2, 3}), 0, 1, 3)", "slice_scatter(f32({5}), f32({3}), 0, 0, 5, 2)"]>;
  let examples = [Example<"slice_scatter(tensor({1.f, 2.f, 3.f}), tensor({9.f}), 0, 1, 2)", "[1, 9, 3]">];
}

// Made of other ops.
class TJ_Rearranged<string mnemonic> : TJ_Composite<mnemonic, "E"> {
  let errors = "`index_error` for a dim out of range, `shape_error` for duplicate dims and sizes that do not fit.";
}
def TJ_Flip : TJ_Rearranged<"flip"> {
  let summary = "Dims walked backwards.";
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Attr<"Ints", "const Dims &", "dims to turn", "">:$dims);
  let sample = Calls<["flip(f32({3, 4}), {0, 1})"]>;
  let examples = [Example<"flip(tensor({1.f, 2.f}), 0)", "[2, 1]">];
}
def TJ_Roll : TJ_Rearranged<"roll"> {
  let summary = "Elements moved along dims; what falls off the end comes in at the start.";
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Attr<"Ints", "const Dims &", "distances, one a dim", "">:$shifts,
                       TJ_Attr<"Ints", "const Dims &", "dims; empty: x as one row", "{}">:$dims);
  let sample = Calls<["roll(f32({3, 4}), 1, 1)", "roll(f32({3, 4}), 5)"]>;
  let examples = [Example<"roll(tensor({1.f, 2.f, 3.f}), 1)", "[3, 1, 2]">];
}
def TJ_Tril : TJ_Rearranged<"tril"> {
  let summary = "Elements of the last two dims on and below a diagonal, 0 elsewhere.";
  let arguments = (ins TJ_Tensor<"rank at least 2">:$x, TJ_Int<"0 the main diagonal, positive above", "0">:$diagonal);
  let inPlace = 1;
  let sample = Calls<["tril(f32({3, 4}))", "tril(f32({2, 3, 3}), 1)"]>;
  let examples = [Example<"tril(ones({2, 2}))", "[[1, 0], [1, 1]]">];
}
def TJ_Triu : TJ_Rearranged<"triu"> {
  let summary = "Elements of the last two dims on and above a diagonal, 0 elsewhere.";
  let arguments = (ins TJ_Tensor<"rank at least 2">:$x, TJ_Int<"0 the main diagonal, positive above", "0">:$diagonal);
  let inPlace = 1;
  let sample = Calls<["triu(f32({3, 4}))", "triu(f32({2, 3, 3}), 1)"]>;
  let examples = [Example<"triu(ones({2, 2}))", "[[1, 1], [0, 1]]">];
}
def TJ_Diagonal : TJ_Rearranged<"diagonal"> {
  let summary = "A diagonal of two dims as the last dim.";
  let arguments = (ins TJ_Tensor<"rank at least 2">:$x, TJ_Int<"0 the main diagonal, positive above", "0">:$offset,
                       TJ_Int<"first dim", "0">:$dim1, TJ_Int<"second dim", "1">:$dim2);
  let sample = Calls<["diagonal(f32({3, 4}))", "diagonal(f32({2, 3, 4}), 1, 2, 0)"]>;
  let examples = [Example<"diagonal(tensor({{1.f, 2.f}, {3.f, 4.f}}))", "[1, 4]">];
}
def TJ_Diag : TJ_Rearranged<"diag"> {
  let summary = "The diagonal of a matrix, or a matrix of zeros with a diagonal.";
  let arguments = (ins TJ_Tensor<"rank 1 or 2">:$x, TJ_Int<"0 the main diagonal, positive above", "0">:$diagonal);
  let sample = Calls<["diag(f32({3}), -1)", "diag(f32({3, 4}))"]>;
  let examples = [Example<"diag(tensor({1.f, 2.f}))", "[[1, 0], [0, 2]]">];
}
def TJ_Unfold : TJ_Rearranged<"unfold"> {
  let summary = "Windows of `size` positions, `step` apart, along one dim; each window lies along a new last dim.";
  let description = [{A copy, unlike in torch: writes to it do not reach x.}];
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Int<"dim to walk">:$dimension, TJ_Int<"length of a window, at least 1">:$size,
                       TJ_Int<"distance of windows, at least 1">:$step);
  let errors = "`index_error` for a dim out of range, `shape_error` for a window longer than the dim, `value_error` for a size or step below 1.";
  let sample = Calls<["unfold(f32({3, 9}), 1, 4, 2)", "unfold(f32({5, 2}), 0, 2, 1)"]>;
  let examples = [Example<"unfold(tensor({1.f, 2.f, 3.f}), 0, 2, 1)", "[[1, 2], [2, 3]]">];
}
def TJ_Repeat : TJ_Rearranged<"repeat"> {
  let summary = "x laid side by side, repeats[i] times along dim i; missing leading dims are of size 1.";
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Ints<"counts, at least as many as dims">:$repeats);
  let sample = Calls<["repeat(f32({3, 4}), {2, 1, 2})"]>;
  let examples = [Example<"repeat(tensor({1.f, 2.f}), {2})", "[1, 2, 1, 2]">];
}
def TJ_Tile : TJ_Rearranged<"tile"> {
  let summary = "repeat, with counts of 1 for leading dims that are left out.";
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Ints<"counts">:$dims);
  let sample = Calls<["tile(f32({3, 4}), {2})"]>;
  let examples = [Example<"tile(tensor({1.f, 2.f}), {2})", "[1, 2, 1, 2]">];
}
def TJ_RepeatInterleave : TJ_Rearranged<"repeat_interleave"> {
  let summary = "Each position of a dim `repeats` times in a row; without a dim, of x as one row.";
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Int<"count">:$repeats,
                       TJ_Attr<"Ints", "std::optional<int64_t>", "dim of x", "std::nullopt">:$dim);
  let sample = Calls<["repeat_interleave(f32({3, 4}), 2, 1)"]>;
  let examples = [Example<"repeat_interleave(tensor({1.f, 2.f}), 2)", "[1, 1, 2, 2]">];
}
def TJ_Movedim : TJ_Rearranged<"movedim"> {
  let summary = "Dims moved to other places, the rest in order.";
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Attr<"Ints", "const Dims &", "dims to move", "">:$source,
                       TJ_Attr<"Ints", "const Dims &", "where they go", "">:$destination);
  let sample = Calls<["movedim(f32({2, 3, 4}), 0, 2)"]>;
  let examples = [Example<"movedim(tensor({{1.f, 2.f}}), 0, 1)", "[[1], [2]]">];
}
def TJ_BitcastOp : TJ_Op<"bitcast", "Shape", "E"> {
  let summary = "The bytes of the elements read as another dtype; the last dim grows or shrinks with the width.";
  let wave = 2;
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_DType<"dtype of the result">:$dtype);
  let results = (outs TJ_Result<"sizes of x, but for the last">:$y);
  let infer = "bitcast";
  let vjp = Vjp<(grads zero)>;
  let errors = "`shape_error` where the last dim does not hold a whole number of elements.";
  let sample = Calls<["bitcast(f32({3, 4}), kInt32)", "bitcast(f32({3, 4}), kInt64)", "bitcast(i64({3, 4}, 9), kUInt8)",
                      "bitcast(transpose(f32({4, 3}), 0, 1), kInt16)"]>;
  let examples = [Example<"bitcast(tensor({1.f}), kInt32)", "[1065353216]">];
}
