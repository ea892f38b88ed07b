include "Record.td"

// Ops whose elements lie where a tensor of positions says.
class TJ_Indexed<string mnemonic, string bitClass> : TJ_Op<mnemonic, "Shape", bitClass> {
  let indexCheck = ChecksIndex<"index", "x", "$dim">;
  let errors = "`index_error` for a position or dim out of range, `shape_error` where the sizes do not fit, `type_error` for positions that are not i64 or i32.";
}
def TJ_GatherOp : TJ_Indexed<"gather", "E"> {
  let summary = "y[i][j] = x[index[i][j]][j] for dim 0, and so on for other dims.";
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Dim<"dim that the positions run along">:$dim,
                       TJ_Tensor<"i64 or i32 positions, rank of x; other sizes at most those of x">:$index);
  let results = (outs TJ_Result<"sizes of index">:$y);
  let infer = "gather";
  let vjp = VjpFunction<"vjpGather", (saves $index)>;
  let sample = Calls<["gather(f32({3, 4}), 0, i64({2, 4}, 3))", "gather(f32({3, 4}), 1, i64({3, 2}, 4))"]>;
  let examples = [Example<"gather(tensor({1.f, 2.f, 3.f}), 0, tensor({int64_t(2), int64_t(0)}))", "[3, 1]">];
}
class TJ_Scattering<string mnemonic, string bitClass> : TJ_Indexed<mnemonic, bitClass> {
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Dim<"dim that the positions run along">:$dim,
                       TJ_Tensor<"i64 or i32 positions, rank of x; other sizes at most those of x">:$index,
                       TJ_Tensor<"rank of x, sizes at least those of index">:$src);
  let results = (outs TJ_Result<"sizes of x">:$y);
  let infer = "scatter";
}
def TJ_ScatterOp : TJ_Scattering<"scatter", "E"> {
  let summary = "A copy of x with y[index[i][j]][j] = src[i][j] for dim 0, and so on; the last in row-major order wins.";
  let vjp = VjpFunction<"vjpScatter", (saves $index)>;
  let sample = Calls<["scatter(f32({3, 4}), 0, reshape(iota({4}, 0, kInt64), {1, 4}).slice(1, 0, 3).clamp(0, 2), f32({1, 3}))"]>;
  let examples = [Example<"scatter(zeros({3}), 0, tensor({int64_t(2)}), tensor({5.f}))", "[0, 0, 5]">];
}
def TJ_ScatterAddOp : TJ_Scattering<"scatter_add", "T"> {
  let summary = "A copy of x with src[i][j] added to y[index[i][j]][j] for dim 0, and so on, in row-major order.";
  let dtypes = Numeric;
  let vjp = VjpFunction<"vjpScatterAdd", (saves $index)>;
  let sample = Calls<["scatter_add(f32({3, 4}), 0, i64({2, 4}, 3), f32({2, 4}))"]>;
  let examples = [Example<"scatter_add(ones({2}), 0, tensor({int64_t(1), int64_t(1)}), tensor({5.f, 7.f}))", "[1, 13]">];
}
class TJ_ScatterReducing<string mnemonic> : TJ_Op<mnemonic, "Reduction", "E"> {
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Dim<"dim that the positions run along">:$dim,
                       TJ_Tensor<"i64 or i32 positions, rank of x; other sizes at most those of x">:$index,
                       TJ_Tensor<"rank of x, sizes at least those of index">:$src,
                       TJ_Bool<"whether the element of x takes part", "true">:$include_self);
  let functions = [];
  let dtypes = Numeric;
  let indexCheck = ChecksIndex<"index", "x", "$dim">;
  let errors = "`index_error` for a position or dim out of range, `shape_error` where the sizes do not fit, `type_error` for positions that are not i64 or i32.";
}
class TJ_ScatterExtreme<string mnemonic> : TJ_ScatterReducing<mnemonic> {
  let results = (outs TJ_Result<"sizes of x">:$y, TJ_Result<"i64, sizes of x: place in index of what is left there, -1 where that is x">:$writer);
  let infer = "scatterExtreme";
  let vjp = VjpFunction<"vjpScatterExtreme", (saves $index, $writer)>;
}
def TJ_ScatterAmaxOp : TJ_ScatterExtreme<"scatter_amax"> {
  let summary = "A copy of x with the largest of what src has for each element, and where it came from; the first of equals.";
  let sample = Calls<["scatter_reduce(f32({3, 4}), 0, i64({5, 4}, 3), f32({5, 4}), \"amax\")",
                      "scatter_reduce(f32({3, 4}), 1, i64({3, 2}, 4), f32({3, 2}), \"amax\", false)"]>;
  let examples = [Example<"scatter_reduce(zeros({2}), 0, tensor({int64_t(1), int64_t(1)}), tensor({5.f, 7.f}), \"amax\")", "[0, 7]">];
}
def TJ_ScatterAminOp : TJ_ScatterExtreme<"scatter_amin"> {
  let summary = "A copy of x with the smallest of what src has for each element, and where it came from; the first of equals.";
  let sample = Calls<["scatter_reduce(f32({3, 4}), 0, i64({5, 4}, 3), f32({5, 4}), \"amin\")",
                      "scatter_reduce(f32({3, 4}), 1, i64({3, 2}, 4), f32({3, 2}), \"amin\", false)"]>;
  let examples = [Example<"scatter_reduce(zeros({2}), 0, tensor({int64_t(1), int64_t(1)}), tensor({5.f, 7.f}), \"amin\", false)", "[0, 5]">];
}
def TJ_ScatterProdOp : TJ_ScatterReducing<"scatter_prod"> {
  let summary = "A copy of x multiplied by what src has for each element, in row-major order.";
  let cls = "T";
  let results = (outs TJ_Result<"sizes of x">:$y);
  let infer = "scatterProduct";
  let vjp = NoVjp<"it would have to divide by factors that may be 0">;
  let sample = Calls<["scatter_reduce(f32({3, 4}), 0, i64({5, 4}, 3), f32({5, 4}), \"prod\")"]>;
  let examples = [Example<"scatter_reduce(full({2}, 3.f), 0, tensor({int64_t(1), int64_t(1)}), tensor({5.f, 7.f}), \"prod\")", "[3, 105]">];
}

// Ops whose rows along one dim a list of positions names.
class TJ_Listed<string mnemonic, string bitClass> : TJ_Indexed<mnemonic, bitClass> {
  let functions = [];
}
def TJ_IndexSelectOp : TJ_Listed<"index_select", "E"> {
  let summary = "The positions of one dim that a list names, in its order.";
  let arguments = (ins TJ_Tensor<"rank at least 1">:$x, TJ_Dim<"dim that the positions run along">:$dim,
                       TJ_Tensor<"i64 or i32 positions, rank 1">:$index);
  let results = (outs TJ_Result<"sizes of x, in dim those of index">:$y);
  let infer = "indexSelect";
  let vjp = VjpFunction<"vjpIndexSelect", (saves $index)>;
  let sample = Calls<["index_select(f32({3, 4, 2}), 1, i64({5}, 4))"]>;
  let examples = [Example<"index_select(tensor({1.f, 2.f, 3.f}), 0, tensor({int64_t(2), int64_t(2)}))", "[3, 3]">];
}
class TJ_RowsInto<string mnemonic, string bitClass> : TJ_Listed<mnemonic, bitClass> {
  let arguments = (ins TJ_Tensor<"rank at least 1">:$x, TJ_Dim<"dim that the positions run along">:$dim,
                       TJ_Tensor<"i64 or i32 positions, rank 1">:$index,
                       TJ_Tensor<"sizes of x, in dim those of index">:$source);
  let results = (outs TJ_Result<"sizes of x">:$y);
  let infer = "rowsInto";
}
def TJ_IndexCopyOp : TJ_RowsInto<"index_copy", "E"> {
  let summary = "A copy of x with the positions of one dim that a list names replaced by source; the last one wins.";
  let vjp = VjpFunction<"vjpIndexCopy", (saves $index)>;
  let sample = Calls<["index_copy(f32({3, 4}), 0, i64({5}, 3), f32({5, 4}))"]>;
  let examples = [Example<"index_copy(zeros({2}), 0, tensor({int64_t(1), int64_t(1)}), tensor({5.f, 7.f}))", "[0, 7]">];
}
def TJ_IndexAddOp : TJ_RowsInto<"index_add", "T"> {
  let summary = "A copy of x with source added to the positions of one dim that a list names, in its order.";
  let dtypes = Numeric;
  let vjp = VjpFunction<"vjpIndexAdd", (saves $index)>;
  let sample = Calls<["index_add(f32({3, 4}), 0, i64({5}, 3), f32({5, 4}))"]>;
  let examples = [Example<"index_add(ones({2}), 0, tensor({int64_t(1), int64_t(1)}), tensor({5.f, 7.f}))", "[1, 13]">];
}
// What `index` and `index_put` look a tensor up by.
def TJ_IndexOp : TJ_Op<"index", "Shape", "E"> {
  let summary = "Positions below a bound as i64; with `wrap` negative ones count from the end.";
  let arguments = (ins TJ_Tensor<"i64 or i32, any sizes">:$index, TJ_Int<"bound">:$size,
                       TJ_Bool<"whether positions in [-size, 0) are legal">:$wrap);
  let results = (outs TJ_Result<"i64, sizes of index; in [0, size)">:$y);
  let functions = [];
  let indexCheck = ChecksIndex<"index">;
  let infer = "positions";
  let vjp = NoVjp<"positions are integers">;
  let errors = "`index_error` for a position out of range, `type_error` for positions that are not i64 or i32.";
  let sample = Calls<["index(f32({3, 4}), {i64({2, 1}, 3) - 3, i64({5}, 4)})"]>;
  let examples = [Example<"index(tensor({1.f, 2.f, 3.f}), {tensor({int64_t(-1), int64_t(0)})})", "[3, 1]">];
}
def TJ_ConcatOp : TJ_Op<"concat", "Shape", "E"> {
  let summary = "a, and behind it b along one dim.";
  let arguments = (ins TJ_Tensor<"rank at least 1">:$a, TJ_Tensor<"sizes of a but for dim">:$b, TJ_Dim<"dim that grows">:$dim);
  let results = (outs TJ_Result<"sizes of a, those of dim added">:$y);
  let method = 0;
  let promote = Together;
  let infer = "concat";
  let vjp = VjpFunction<"vjpConcat", (saves)>;
  let errors = "`shape_error` where other sizes differ.";
  let sample = Calls<["concat(f32({3, 4}), f32({2, 4}), 0)", "concat(f32({3, 4}), f32({3, 0}), 1)"]>;
  let examples = [Example<"concat(ones({1}), zeros({2}), 0)", "[1, 0, 0]">];
}

class TJ_ByPosition<string mnemonic, string bitClass> : TJ_Composite<mnemonic, bitClass> {
  let errors = "`index_error` for a position or dim out of range, `shape_error` where the sizes do not fit.";
}
def TJ_IndexSelect : TJ_ByPosition<"index_select", "E"> {
  let summary = "The positions of one dim that a list names, in its order.";
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Int<"dim of x">:$dim, TJ_Tensor<"i64 or i32 positions, rank 1">:$index);
  let sample = Calls<["index_select(f32({3, 4}), 1, i64({5}, 4))"]>;
  let examples = [Example<"index_select(tensor({1.f, 2.f, 3.f}), 0, tensor({int64_t(2), int64_t(2)}))", "[3, 3]">];
}
def TJ_IndexAdd : TJ_ByPosition<"index_add", "T"> {
  let summary = "A copy of x with alpha * source added to the positions of one dim that a list names.";
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Int<"dim of x">:$dim, TJ_Tensor<"i64 or i32 positions, rank 1">:$index,
                       TJ_Tensor<"sizes of x, in dim those of index">:$source, TJ_Number<"factor of source", "1">:$alpha);
  let inPlace = 1;
  let sample = Calls<["index_add(f32({3, 4}), 1, i64({5}, 4), f32({3, 5}))"]>;
  let examples = [Example<"index_add(zeros({2}), 0, tensor({int64_t(1), int64_t(1)}), tensor({1.f, 2.f}))", "[0, 3]">];
}
def TJ_IndexCopy : TJ_ByPosition<"index_copy", "E"> {
  let summary = "A copy of x with the positions of one dim that a list names replaced by source.";
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Int<"dim of x">:$dim, TJ_Tensor<"i64 or i32 positions, rank 1">:$index,
                       TJ_Tensor<"sizes of x, in dim those of index">:$source);
  let sample = Calls<["index_copy(f32({3, 4}), 1, i64({1}, 4), f32({3, 1}))"]>;
  let examples = [Example<"index_copy(zeros({2}), 0, tensor({int64_t(1)}), tensor({2.f}))", "[0, 2]">];
}
def TJ_IndexFill : TJ_ByPosition<"index_fill", "E"> {
  let summary = "A copy of x with the positions of one dim that a list names filled with one number.";
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Int<"dim of x">:$dim, TJ_Tensor<"i64 or i32 positions, rank 1">:$index,
                       TJ_Operand<"host number or 0-d tensor">:$value);
  let sample = Calls<["index_fill(f32({3, 4}), 1, i64({2}, 4), 1.5)"]>;
  let examples = [Example<"index_fill(zeros({2}), 0, tensor({int64_t(1)}), 2)", "[0, 2]">];
}
def TJ_Embedding : TJ_ByPosition<"embedding", "E"> {
  let summary = "Rows of a table; the row padding_idx gets no gradient.";
  let arguments = (ins TJ_Tensor<"[rows x width]">:$weight, TJ_Tensor<"i64 or i32 rows, any sizes">:$index,
                       TJ_Int<"row without gradient; -1: none", "-1">:$padding_idx);
  let method = 0;
  let sample = Calls<["embedding(f32({4, 3}), i64({2, 3}, 4))"]>;
  let examples = [Example<"embedding(tensor({{1.f}, {2.f}}), tensor({int64_t(1)}))", "[[2]]">];
}
def TJ_MaskedSelect : TJ_Composite<"masked_select", "E"> {
  let summary = "The elements of x for which the mask holds, in row-major order.";
  let description = [{The mask is read on the host: a recording's segment ends here.}];
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Tensor<"bool; sizes broadcast">:$mask);
  let errors = "`type_error` where the mask is not bool; `shape_error` where the sizes do not broadcast.";
  let sample = Calls<["masked_select(f32({3, 4}), eq(i64({4}, 2), 0))"]>;
  let examples = [Example<"masked_select(tensor({1.f, 2.f, 3.f}), gt(tensor({1.f, 2.f, 3.f}), 1))", "[2, 3]">];
}
def TJ_Nonzero : TJ_Composite<"nonzero", "E"> {
  let summary = "i64 [count x rank]: where x is not 0, in row-major order.";
  let description = [{x is read on the host: a recording's segment ends here.}];
  let arguments = (ins TJ_Tensor<"any sizes">:$x);
  let vjp = NoVjp<"positions are integers">;
  let sample = Calls<["nonzero(i64({3, 4}, 2))"]>;
  let examples = [Example<"nonzero(tensor({{0.f, 2.f}, {3.f, 0.f}}))", "[[0, 1], [1, 0]]">];
}
def TJ_MaskedFill : TJ_Composite<"masked_fill", "E"> {
  let summary = "value where the mask holds, else x.";
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Tensor<"bool; sizes broadcast">:$mask, TJ_Operand<"host number or 0-d tensor">:$value);
  let inPlace = 1;
  let errors = "`type_error` where the mask is not bool; `shape_error` where the sizes do not broadcast.";
  let sample = Calls<["masked_fill(f32({3, 4}), eq(i64({3, 4}, 2), 0), 1.5)"]>;
  let examples = [Example<"masked_fill(zeros({2}), eq(tensor({1.f, 2.f}), 2), 9)", "[0, 9]">];
}
