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

def TJ_ReduceProdOp : TJ_Reduce<"reduce_prod", "T"> {
  let summary = "Product over dims; integers and bool are multiplied as i64. 1 without elements.";
  let functions = ["prod"];
  let promote = SumToI64;
  let dtypes = Numeric;
  let vjp = VjpFunction<"vjpReduceProd", (saves $x)>;
  let sample = Calls<["prod(f32({3, 5}))", "prod(f32({3, 5}), {1})", "prod(f32({3, 5}), {0}, true)", "prod(f32({0, 5}), {0})"]>;
  let examples = [Example<"prod(tensor({{1.f, 2.f}, {3.f, 4.f}}), {1})", "[2, 12]">];
}

// Made of other ops.
class TJ_Statistic<string mnemonic> : TJ_Composite<mnemonic, "T"> {
  let arguments = (ins TJ_Tensor<"any sizes, floats">:$x, TJ_Dims<"dims to reduce; empty: all", "{}">:$dims,
                       TJ_Float<"subtracted from the number of elements in the divisor", "1">:$correction,
                       TJ_Bool<"reduced dims stay, with size 1">:$keepdim);
  let errors = "`type_error` for integers and bool, `index_error` and `shape_error` for dims.";
}
def TJ_Var : TJ_Statistic<"var"> {
  let summary = "Sum of squared distances from the mean over max(0, n - correction); exactly 0 for equal elements.";
  let sample = Calls<["var(f32({3, 5}))", "var(f32({3, 5}), {1})", "var(f32({3, 5}), {0}, 0, true)"]>;
  let examples = [Example<"var(tensor({1.f, 3.f}))", "2">];
}
def TJ_Std : TJ_Statistic<"std"> {
  let summary = "Square root of var; its gradient is 0 where it is 0.";
  let sample = Calls<["std(f32({3, 5}))", "std(f32({3, 5}), {1})"]>;
  let examples = [Example<"std(tensor({1.f, 5.f}), {0}, 0)", "2">];
}
def TJ_VarMean : TJ_Statistic<"var_mean"> {
  let summary = "var and mean.";
  let results = (outs TJ_Result<"variance">:$var, TJ_Result<"mean">:$mean);
  let sample = Calls<["std::get<0>(var_mean(f32({3, 5}), {1}))"]>;
  let examples = [Example<"std::get<1>(var_mean(tensor({1.f, 3.f})))", "2">];
}
def TJ_Logsumexp : TJ_Composite<"logsumexp", "T"> {
  let summary = "log(sum(exp(x))) without overflow; -inf over no elements.";
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Dims<"dims to reduce; empty: all", "{}">:$dims,
                       TJ_Bool<"reduced dims stay, with size 1">:$keepdim);
  let errors = "`type_error` for integers and bool, `index_error` and `shape_error` for dims.";
  let sample = Calls<["logsumexp(f32({3, 5}), 1)", "logsumexp(f32({3, 5}), {0}, true)"]>;
  let examples = [Example<"logsumexp(tensor({1000.f}))", "1000">];
}
def TJ_Norm : TJ_Composite<"norm", "T"> {
  let summary = "(sum |x|^p)^(1/p) over dims; p 0 counts what is not 0, p infinite is the largest magnitude. The gradient of p = 2 is 0 at 0.";
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Float<"the power", "2">:$p, TJ_Dims<"dims to reduce; empty: all", "{}">:$dims,
                       TJ_Bool<"reduced dims stay, with size 1">:$keepdim);
  let errors = "`type_error` for integers and bool, `index_error` and `shape_error` for dims.";
  let sample = Calls<["norm(f32({3, 5}))", "norm(f32({3, 5}), 1, 1)", "norm(f32({3, 5}), 3, 0, true)"]>;
  let examples = [Example<"norm(tensor({3.f, 4.f}))", "5">];
}
