include "Record.td"

// Each result is made of the elements up to its place along one dim.
class TJ_Scan<string mnemonic, string bitClass> : TJ_Op<mnemonic, "Reduction", bitClass> {
  let wave = 2;
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Dim<"dim to run along">:$dim);
  let results = (outs TJ_Result<"sizes of x">:$y);
  let infer = "scan";
  let errors = "`index_error` for a dim out of range.";
}
class TJ_ScanArithmetic<string mnemonic, string function> : TJ_Scan<mnemonic, "T"> {
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Dim<"dim to run along">:$dim,
                       TJ_Bool<"runs from the end of the dim to its start">:$reverse,
                       TJ_Bool<"each result leaves its own element out">:$exclusive);
  let functions = [function];
  let inPlace = 1;
  let promote = SumToI64;
  let dtypes = Numeric;
}
def TJ_ScanSumOp : TJ_ScanArithmetic<"scan_sum", "cumsum"> {
  let summary = "Sums of the elements up to each place of a dim; integers and bool are summed as i64.";
  let vjp = VjpFunction<"vjpScanSum", (saves)>;
  let sample = Calls<["cumsum(f32({3, 5}), 1)", "cumsum(f32({3, 5}), 0, true)", "cumsum(f32({2, 3, 5}), 1, false, true)",
                      "cumsum(f32({3, 5}), -1, true, true)", "cumsum(f32({}), 0)", "cumsum(f32({3, 0}), 1)",
                      "cumsum(f32({2, 1000}), 1)", "cumsum(i64({3, 5}, 10), 1)", "cumsum(transpose(f32({5, 3}), 0, 1), 1)"]>;
  let examples = [Example<"cumsum(tensor({{1.f, 2.f, 3.f}}), 1)", "[[1, 3, 6]]">,
                  Example<"cumsum(tensor({1.f, 2.f, 3.f}), 0, true, true)", "[5, 3, 0]">];
}
def TJ_ScanProdOp : TJ_ScanArithmetic<"scan_prod", "cumprod"> {
  let summary = "Products of the elements up to each place of a dim; of integers and bool as i64. Its derivative holds at zeros.";
  let vjp = VjpFunction<"vjpScanProd", (saves $x)>;
  let sample = Calls<["cumprod(f32({3, 5}), 1)", "cumprod(f32({3, 5}), 0, true)", "cumprod(f32({2, 3, 5}), 1, false, true)",
                      "cumprod(f32({3, 5}), -1, true, true)", "cumprod(f32({}), 0)", "cumprod(f32({3, 0}), 1)",
                      "cumprod(i64({3, 5}, 10), 1)"]>;
  let examples = [Example<"cumprod(tensor({1.f, 2.f, 3.f}), 0)", "[1, 2, 6]">,
                  Example<"cumprod(tensor({1.f, 2.f, 3.f}), 0, false, true)", "[1, 1, 2]">];
}
class TJ_ScanExtreme<string mnemonic, string function> : TJ_Scan<mnemonic, "E"> {
  let results = (outs TJ_Result<"sizes of x">:$y, TJ_Result<"i64 position of each along dim">:$at);
  let functions = [function];
}
def TJ_ScanMaxOp : TJ_ScanExtreme<"scan_max", "cummax"> {
  let summary = "Largest element up to each place of a dim, and its position: the first among ties, the first NaN before all.";
  let vjp = VjpFunction<"vjpScanExtreme", (saves $at)>;
  let sample = Calls<["std::get<0>(cummax(f32({3, 5}), 1))", "std::get<1>(cummax(f32({2, 3, 5}), 1))",
                      "std::get<0>(cummax(f32({}), 0))", "std::get<0>(cummax(i64({3, 5}, 10), 0))"]>;
  let examples = [Example<"std::get<0>(cummax(tensor({1.f, 3.f, 2.f}), 0))", "[1, 3, 3]">];
}
def TJ_ScanMinOp : TJ_ScanExtreme<"scan_min", "cummin"> {
  let summary = "Smallest element up to each place of a dim, and its position: the first among ties, the first NaN before all.";
  let vjp = VjpFunction<"vjpScanExtreme", (saves $at)>;
  let sample = Calls<["std::get<0>(cummin(f32({3, 5}), 1))", "std::get<1>(cummin(f32({2, 3, 5}), 1))",
                      "std::get<0>(cummin(i64({3, 5}, 10), 0))"]>;
  let examples = [Example<"std::get<1>(cummin(tensor({2.f, 3.f, 1.f}), 0))", "[0, 0, 2]">];
}
def TJ_ScanLogaddexpOp : TJ_Scan<"scan_logaddexp", "T"> {
  let summary = "log of the sums of exp(x) up to each place of a dim, without overflow.";
  let functions = ["logcumsumexp"];
  let dtypes = Floating;
  let vjp = VjpFunction<"vjpScanLogaddexp", (saves $x, $y)>;
  let errors = "`index_error` for a dim out of range, `type_error` for integers and bool.";
  let sample = Calls<["logcumsumexp(f32({3, 5}), 1)", "logcumsumexp(f32({2, 3, 5}), 1)", "logcumsumexp(f32({}), 0)",
                      "logcumsumexp(f32({2, 40}), 1)"]>;
  let examples = [Example<"logcumsumexp(tensor({1000.f, -INFINITY}), 0)", "[1000, 1000]">];
}
def TJ_ScanAffineOp : TJ_Op<"scan_affine", "Reduction", "T"> {
  let summary = "The recurrence y[i] = a[i] * y[i-1] + b[i] along a dim, from y[0] = b[0].";
  let wave = 2;
  let arguments = (ins TJ_Tensor<"factors; the first along dim does not count">:$a, TJ_Tensor<"sizes of a">:$b,
                       TJ_Dim<"dim to run along">:$dim, TJ_Bool<"runs from the end of the dim to its start">:$reverse);
  let results = (outs TJ_Result<"sizes of a">:$y);
  let method = 0;
  let promote = FloatOrF32;
  let dtypes = Floating;
  let infer = "scanAffine";
  let vjp = VjpFunction<"vjpScanAffine", (saves $a, $y)>;
  let errors = "`index_error` for a dim out of range, `shape_error` where the sizes differ.";
  let sample = Calls<["scan_affine(f32({3, 5}), f32({3, 5}), 1)", "scan_affine(f32({3, 5}), f32({3, 5}), 0, true)",
                      "scan_affine(f32({2, 3, 5}), f32({2, 3, 5}), 1)", "scan_affine(f32({}), f32({}), 0)"]>;
  let examples = [Example<"scan_affine(tensor({9.f, 2.f, 3.f}), tensor({1.f, 1.f, 1.f}), 0)", "[1, 3, 10]">];
}
