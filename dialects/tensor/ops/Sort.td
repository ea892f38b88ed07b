include "Record.td"

// Ops that order the elements of a dim: NaN is above all numbers, -0 equals +0, and equal elements keep their order.
class TJ_Ordering<string mnemonic> : TJ_Op<mnemonic, "Reduction", "E"> {
  let wave = 2;
  let infer = mnemonic;
  let vjp = VjpFunction<"vjpSort", (saves $at)>;
}
def TJ_SortOp : TJ_Ordering<"sort"> {
  let summary = "The elements of a dim in order, and where they were; NaN last, or first if descending. Equal elements keep their order.";
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Dim<"dim to sort", "-1">:$dim,
                       TJ_Bool<"largest first">:$descending);
  let results = (outs TJ_Result<"sizes of x">:$y, TJ_Result<"i64 position of each along dim">:$at);
  let errors = "`index_error` for a dim out of range.";
  let sample = Calls<["std::get<0>(sort(f32({3, 5})))", "std::get<1>(sort(f32({3, 5}), 0, true))",
                      "std::get<0>(sort(f32({2, 300}), 1, true))", "std::get<1>(sort(i64({3, 500}, 10), 1))",
                      "std::get<0>(sort(f32({})))", "std::get<0>(sort(transpose(f32({5, 3}), 0, 1)))"]>;
  let examples = [Example<"std::get<0>(sort(tensor({3.f, 1.f, 2.f})))", "[1, 2, 3]">,
                  Example<"std::get<1>(sort(tensor({3.f, 1.f, 3.f}), 0, true))", "[0, 2, 1]">];
}
def TJ_TopkOp : TJ_Ordering<"topk"> {
  let summary = "The k largest elements of a dim, largest first, or the k smallest, and where they were: the first k of sort.";
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Int<"how many, at most the size of dim">:$k,
                       TJ_Dim<"dim to search", "-1">:$dim, TJ_Bool<"the largest, not the smallest", "true">:$largest);
  let results = (outs TJ_Result<"sizes of x, in dim k">:$y, TJ_Result<"i64 position of each along dim">:$at);
  let errors = "`index_error` for a dim out of range, `shape_error` for a negative k or one beyond the size of dim.";
  let sample = Calls<["std::get<0>(topk(f32({3, 5}), 2))", "std::get<1>(topk(f32({3, 5}), 3, 0, false))",
                      "std::get<0>(topk(f32({2, 300}), 7))", "std::get<1>(topk(i64({3, 500}, 10), 20))",
                      "std::get<0>(topk(f32({3, 5}), 0))", "std::get<0>(topk(f32({}), 1))"]>;
  let examples = [Example<"std::get<0>(topk(tensor({3.f, 1.f, 2.f}), 2))", "[3, 2]">,
                  Example<"std::get<1>(topk(tensor({3.f, 1.f, 2.f}), 1, 0, false))", "[1]">];
}
def TJ_SearchsortedOp : TJ_Op<"searchsorted", "Reduction", "E"> {
  let summary = "Where each value belongs in a sorted row: before equal elements, or behind them with right.";
  let wave = 2;
  let arguments = (ins TJ_Tensor<"sorted along its last dim; one row, or a row for each row of values">:$sorted,
                       TJ_Tensor<"values to place">:$values, TJ_Bool<"behind equal elements">:$right);
  let results = (outs TJ_Result<"i64, sizes of values">:$y);
  let method = 0;
  let promote = Together;
  let infer = "searchsorted";
  let vjp = NoVjp<"the result is an index">;
  let errors = "`shape_error` where neither one row is sorted nor the leading sizes are equal.";
  let sample = Calls<["searchsorted(std::get<0>(sort(f32({7}))), f32({3, 5}))",
                      "searchsorted(std::get<0>(sort(f32({3, 7}))), f32({3, 5}), true)",
                      "searchsorted(std::get<0>(sort(i64({7}, 4))), i64({5}, 4), true)"]>;
  let examples = [Example<"searchsorted(tensor({1.f, 2.f, 3.f}), tensor({2.f, 9.f}))", "[1, 3]">];
}

class TJ_Ordered<string mnemonic> : TJ_Composite<mnemonic, "E"> {
  let wave = 2;
}
def TJ_Argsort : TJ_Ordered<"argsort"> {
  let summary = "Where the elements of a dim are that sort puts in order.";
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Int<"dim to sort", "-1">:$dim, TJ_Bool<"largest first">:$descending);
  let errors = "`index_error` for a dim out of range.";
  let sample = Calls<["argsort(f32({3, 5}))", "argsort(f32({3, 5}), 0, true)"]>;
  let examples = [Example<"argsort(tensor({3.f, 1.f, 2.f}))", "[1, 2, 0]">];
}
class TJ_OfOrder<string mnemonic> : TJ_Ordered<mnemonic> {
  let results = (outs TJ_Result<"sizes of x without dim">:$y, TJ_Result<"i64 position along dim">:$at);
}
def TJ_Kthvalue : TJ_OfOrder<"kthvalue"> {
  let summary = "The k-th smallest element of a dim, counted from 1, and where it is.";
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Int<"from 1 to the size of dim">:$k, TJ_Int<"dim to search", "-1">:$dim,
                       TJ_Bool<"dim stays, with size 1">:$keepdim);
  let errors = "`index_error` for a dim out of range, `shape_error` for a k that the dim does not have.";
  let sample = Calls<["std::get<0>(kthvalue(f32({3, 5}), 2))", "std::get<1>(kthvalue(f32({3, 5}), 3, 0, true))"]>;
  let examples = [Example<"std::get<0>(kthvalue(tensor({3.f, 1.f, 2.f}), 2))", "2">];
}
def TJ_Median : TJ_OfOrder<"median"> {
  let summary = "The middle element of a dim in order, the lower of two, and where it is; the first NaN if there is one.";
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Int<"dim to search">:$dim, TJ_Bool<"dim stays, with size 1">:$keepdim);
  let errors = "`index_error` for a dim out of range, `shape_error` over no elements.";
  let sample = Calls<["std::get<0>(median(f32({3, 5}), 1))", "std::get<1>(median(f32({4, 5}), 0, true))", "median(f32({3, 4}))"]>;
  let examples = [Example<"std::get<0>(median(tensor({4.f, 1.f, 3.f, 2.f}), 0))", "2">,
                  Example<"median(tensor({{1.f, NAN}}))", "nan">];
}
