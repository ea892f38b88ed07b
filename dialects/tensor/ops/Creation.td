include "Record.td"

def TJ_FullOp : TJ_Op<"full", "Creation", "E"> {
  let summary = "Every element is one host number; with no dims, how a host number enters a graph.";
  let arguments = (ins TJ_Ints<"sizes">:$sizes, TJ_Scalar<"the number, representable in the dtype">:$value,
                       TJ_DType<"dtype of the result">:$dtype);
  let results = (outs TJ_Result<"of the given sizes">:$y);
  let functions = [];
  let infer = "full";
  let vjp = NoVjp<"it has no operands">;
  let errors = "`shape_error` for negative sizes or too many elements, `value_error` for an integer that does not fit.";
  let sample = Calls<["full({2, 3}, 1.5)", "full({}, 7, kInt64)", "full({0}, true)"]>;
  let examples = [Example<"full({2}, 1.5)", "[1.5, 1.5]">];
}
def TJ_IotaOp : TJ_Op<"iota", "Creation", "E"> {
  let summary = "Each element is its index along one dim.";
  let arguments = (ins TJ_Ints<"sizes, rank at least 1">:$sizes, TJ_Int<"dim in [0, rank)">:$dim,
                       TJ_DType<"dtype of the result, i64 or i32">:$dtype);
  let results = (outs TJ_Result<"of the given sizes">:$y);
  let method = 0;
  let infer = "iota";
  let vjp = NoVjp<"it has no operands">;
  let errors = "`index_error` for a dim out of range, `type_error` for another dtype.";
  let sample = Calls<["iota({4}, 0, kInt64)", "iota({2, 3}, 1, kInt32)"]>;
  let examples = [Example<"iota({3}, 0, kInt64)", "[0, 1, 2]">];
}
