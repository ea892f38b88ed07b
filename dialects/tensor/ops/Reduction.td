include "Record.td"

class TJ_Reduce<string mnemonic, string bitClass> : TJ_Op<mnemonic, "Reduction", bitClass> {
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Dims<"dims to reduce; empty: all", "{}">:$dims,
                       TJ_Bool<"reduced dims stay, with size 1">:$keepdim);
  let results = (outs TJ_Result<"sizes of x without the reduced dims">:$y);
  let infer = "reduce";
  let errors = "`index_error` for a dim out of range, `shape_error` for a duplicate dim.";
}

def TJ_ReduceSumOp : TJ_Reduce<"reduce_sum", "T"> {
  let summary = "Sum over dims; integers and bool are summed as i64. 0 without elements.";
  let functions = ["sum"];
  let promote = SumToI64;
  let dtypes = Numeric;
  let vjp = Vjp<(grads (expand_reduced $g, (sizes $x), $dims))>;
  let sample = Calls<["sum(f32({3, 5}))", "sum(f32({3, 5}), {1})", "sum(f32({3, 5}), {0}, true)", "sum(f32({0, 5}), {0})"]>;
  let examples = [Example<"sum(tensor({{1.f, 2.f}, {3.f, 4.f}}), {1})", "[3, 7]">];
}
def TJ_MeanOp : TJ_Reduce<"mean", "T"> {
  let summary = "Mean over dims of floats. NaN without elements.";
  let promote = FloatOnly;
  let dtypes = Floating;
  let vjp = VjpFunction<"vjpMean", (saves)>;
  let errors = "`type_error` for integers and bool unless `dtype` names a float; `index_error`, `shape_error` for dims.";
  let sample = Calls<["mean(f32({3, 5}))", "mean(f32({3, 5}), {1})", "mean(f32({3, 5}), {-2}, true)"]>;
  let examples = [Example<"mean(tensor({{1.f, 2.f}, {3.f, 4.f}}), {1})", "[1.5, 3.5]">];
}
def TJ_ReduceMaxOp : TJ_Reduce<"reduce_max", "E"> {
  let summary = "Largest element over dims; NaN wins, +0 is above -0.";
  let functions = ["amax"];
  let infer = "reduceExtreme";
  let vjp = VjpFunction<"vjpReduceMax", (saves $x)>;
  let errors = "`shape_error` over no elements and for a duplicate dim, `index_error` for a dim out of range.";
  let sample = Calls<["amax(f32({3, 5}))", "amax(f32({3, 5}), {1})", "amax(f32({3, 5}), {0}, true)"]>;
  let examples = [Example<"amax(tensor({{1.f, 2.f}, {4.f, 3.f}}), {1})", "[2, 4]">];
}
def TJ_ReduceMinOp : TJ_Reduce<"reduce_min", "E"> {
  let summary = "Smallest element over dims; NaN wins, -0 is below +0.";
  let functions = ["amin"];
  let infer = "reduceExtreme";
  let vjp = VjpFunction<"vjpReduceMin", (saves $x)>;
  let errors = "`shape_error` over no elements and for a duplicate dim, `index_error` for a dim out of range.";
  let sample = Calls<["amin(f32({3, 5}))", "amin(f32({3, 5}), {1})", "amin(f32({3, 5}), {0}, true)"]>;
  let examples = [Example<"amin(tensor({{1.f, 2.f}, {4.f, 3.f}}), {1})", "[1, 3]">];
}
def TJ_ReduceAndOp : TJ_Reduce<"reduce_and", "E"> {
  let summary = "True where every element over dims is not 0; true without elements.";
  let functions = ["all"];
  let infer = "reduceToBool";
  let vjp = NoVjp<"the result is bool">;
  let sample = Calls<["all(f32({3, 5}))", "all(f32({3, 5}), {1})"]>;
  let examples = [Example<"all(tensor({{1.f, 0.f}, {4.f, 3.f}}), {1})", "[false, true]">];
}
def TJ_ReduceOrOp : TJ_Reduce<"reduce_or", "E"> {
  let summary = "True where an element over dims is not 0; false without elements.";
  let functions = ["any"];
  let infer = "reduceToBool";
  let vjp = NoVjp<"the result is bool">;
  let sample = Calls<["any(f32({3, 5}))", "any(f32({3, 5}), {1})"]>;
  let examples = [Example<"any(tensor({{1.f, 0.f}, {0.f, 0.f}}), {1})", "[true, false]">];
}

class TJ_ArgReduce<string mnemonic> : TJ_Op<mnemonic, "Reduction", "E"> {
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_OneOrAllDims<"dim to search; none: all elements, row-major">:$dims,
                       TJ_Bool<"searched dims stay, with size 1">:$keepdim);
  let results = (outs TJ_Result<"i64 positions">:$y);
  let infer = "argReduce";
  let vjp = NoVjp<"the result is an index">;
  let errors = "`shape_error` over no elements, `index_error` for a dim out of range.";
}
def TJ_ArgMaxOp : TJ_ArgReduce<"arg_max"> {
  let summary = "Position of the largest element: the first among ties, the first NaN before all.";
  let functions = ["argmax"];
  let sample = Calls<["argmax(f32({3, 5}))", "argmax(f32({3, 5}), 1)", "argmax(f32({3, 5}), 0, true)"]>;
  let examples = [Example<"argmax(tensor({{1.f, 2.f}, {4.f, 4.f}}), 1)", "[1, 0]">];
}
def TJ_ArgMinOp : TJ_ArgReduce<"arg_min"> {
  let summary = "Position of the smallest element: the first among ties, the first NaN before all.";
  let functions = ["argmin"];
  let sample = Calls<["argmin(f32({3, 5}))", "argmin(f32({3, 5}), 1)", "argmin(f32({3, 5}), 0, true)"]>;
  let examples = [Example<"argmin(tensor({{1.f, 2.f}, {4.f, 4.f}}), 1)", "[0, 0]">];
}
