include "Record.td"

defvar PoolWindow = (ins TJ_Pair<"size of the window">:$kernel,
                         TJ_PairOr<"distance of windows; default: the kernel", "kernel">:$stride,
                         TJ_Pair<"cells added on each side, at most half a window; they never win", "0">:$padding,
                         TJ_Pair<"distance of the cells of a window", "1">:$dilation);
defvar PoolWindow3d = (ins TJ_Triple<"size of the window">:$kernel,
                           TJ_TripleOr<"distance of windows; default: the kernel", "kernel">:$stride,
                           TJ_Triple<"cells added on each side, at most half a window; they never win", "0">:$padding,
                           TJ_Triple<"distance of the cells of a window", "1">:$dilation);
defvar CeilMode = (ins TJ_Bool<"a last window that starts inside but ends outside counts">:$ceil_mode);

class TJ_MaxPool<string mnemonic, dag x, dag window> : TJ_Op<mnemonic, "Window", "E"> {
  let arguments = !con(x, window, CeilMode);
  let functions = [mnemonic # "_with_indices"];
  let firstResultFunctions = [mnemonic];
  let method = 0;
  let dtypes = Numeric;
  let infer = "maxPool";
  let errors = "`value_error` for a pad above half the window, a kernel, stride or dilation below 1; `shape_error` for an empty result.";
}
class TJ_MaxPoolGrad<string mnemonic, string pool, string windows, dag window> : TJ_Op<mnemonic, "Window", "T"> {
  let summary = "Gradient of "#pool#" for its input: each gradient is added at the position that won.";
  let description = "The positions are those that "#pool#" gave: where one lies outside its window, its gradient may be lost.";
  let arguments = !con((ins TJ_Tensor<"gradient of the values, "#windows>:$grad, TJ_Tensor<"i64 positions, "#windows>:$indices,
                            TJ_Ints<"sizes of the input">:$input_sizes), window);
  let results = (outs TJ_Result<"of `input_sizes`">:$y);
  let method = 0;
  let infer = "maxPoolGrad";
  let vjp = VjpFunction<"vjpMaxPoolGrad", (saves $indices)>;
  let errors = "`shape_error` where the sizes do not belong to one pooling.";
}

def TJ_MaxPool2dOp : TJ_MaxPool<"max_pool2d", (ins TJ_Tensor<"[n x c x h x w]">:$x), PoolWindow> {
  let summary = "Largest element of each window, and its position in the image plane; NaN wins, the first among ties.";
  let results = (outs TJ_Result<"[n x c x h' x w']">:$y, TJ_Result<"i64 positions h * w + w in the plane of x">:$indices);
  let adapt = "adaptMaxPool2d";
  let vjp = Vjp<(grads (max_pool2d_grad $g, $indices, (sizes $x), $kernel, $stride, $padding, $dilation)), (saves $indices)>;
  let sample = Calls<["max_pool2d(f32({2, 3, 6, 6}), 2)", "max_pool2d(f32({1, 2, 7, 5}), 3, 2, 1)",
                      "max_pool2d(f32({1, 2, 7, 7}), 2, 2, 0, 1, true)"]>;
  let examples = [Example<"max_pool2d(reshape(tensor({1.f, 2.f, 4.f, 3.f}), {1, 1, 2, 2}), 2)", "[[[[4]]]]">];
}
def TJ_MaxPool2dGradOp : TJ_MaxPoolGrad<"max_pool2d_grad", "max_pool2d", "[n x c x h' x w']", PoolWindow> {
  let sample = Calls<["max_pool2d_grad(f32({2, 3, 1, 1}), i64({2, 3, 1, 1}, 16), {2, 3, 4, 4}, 4)"]>;
  let examples = [Example<"max_pool2d_grad(ones({1, 1, 1, 1}), full({1, 1, 1, 1}, 3, kInt64), {1, 1, 2, 2}, 2)",
                          "[[[[0, 0], [0, 1]]]]">];
}
def TJ_MaxPool3dOp : TJ_MaxPool<"max_pool3d", (ins TJ_Tensor<"[n x c x d x h x w]">:$x), PoolWindow3d> {
  let summary = "Largest element of each window, and its position in the volume; NaN wins, the first among ties.";
  let results = (outs TJ_Result<"[n x c x d' x h' x w']">:$y, TJ_Result<"i64 positions in the volume of x, row-major">:$indices);
  let adapt = "adaptMaxPool3d";
  let vjp = Vjp<(grads (max_pool3d_grad $g, $indices, (sizes $x), $kernel, $stride, $padding, $dilation)), (saves $indices)>;
  let sample = Calls<["max_pool3d(f32({2, 2, 4, 4, 4}), 2)", "max_pool3d(f32({1, 2, 3, 5, 4}), Dims{3, 2, 2}, Dims{2, 1, 2}, 1)",
                      "max_pool3d(f32({1, 1, 3, 5, 5}), 2, 2, 0, 1, true)"]>;
  let examples = [Example<"max_pool3d(reshape(tensor({1.f, 2.f, 4.f, 3.f}), {1, 1, 1, 2, 2}), {1, 2, 2})", "[[[[[4]]]]]">];
}
def TJ_MaxPool3dGradOp : TJ_MaxPoolGrad<"max_pool3d_grad", "max_pool3d", "[n x c x d' x h' x w']", PoolWindow3d> {
  let sample = Calls<["max_pool3d_grad(f32({2, 3, 1, 1, 1}), i64({2, 3, 1, 1, 1}, 8), {2, 3, 2, 2, 2}, 2)"]>;
  let examples = [Example<"max_pool3d_grad(ones({1, 1, 1, 1, 1}), full({1, 1, 1, 1, 1}, 1, kInt64), {1, 1, 1, 1, 2}, {1, 1, 2})",
                          "[[[[[0, 1]]]]]">];
}

// One number for each dim of space.
defvar SumWindow = (ins TJ_Ints<"sizes of the window, one a dim of space">:$kernel, TJ_Ints<"distances of windows">:$stride,
                        TJ_Ints<"zeros added before">:$low, TJ_Ints<"zeros added behind; negative: cells left out">:$high,
                        TJ_Ints<"distances of the cells of a window">:$dilation);
class TJ_WindowSum<string mnemonic> : TJ_Op<mnemonic, "Window", "T"> {
  let method = 0;
  let dtypes = Floating;
}
def TJ_WindowSumOp : TJ_WindowSum<"window_sum"> {
  let summary = "Sum of each window over the one to three last dims.";
  let arguments = !con((ins TJ_Tensor<"[n x c x space]">:$x), SumWindow);
  let results = (outs TJ_Result<"[n x c x windows], floor((in + low + high - dilation (kernel - 1) - 1) / stride) + 1 along each dim">:$y);
  let infer = "windowSum";
  let vjp = Vjp<(grads (window_sum_backward $g, (sizes $x), $kernel, $stride, $low, $high, $dilation))>;
  let errors = "`value_error` for a kernel, stride or dilation below 1, `shape_error` for an empty result, `type_error` for integers.";
  let sample = Calls<["window_sum(f32({2, 3, 6, 5}), {2, 3}, {2, 1}, {0, 1}, {0, 1}, {1, 1})",
                      "window_sum(f32({1, 2, 9}), {3}, {2}, {2}, {1}, {2})",
                      "window_sum(f32({1, 2, 4, 4, 4}), {2, 2, 2}, {2, 2, 2}, {0, 0, 0}, {0, 0, 0}, {1, 1, 1})"]>;
  let examples = [Example<"window_sum(ones({1, 1, 4}), {3}, {2}, {1}, {0}, {1})", "[[[2, 3]]]">];
}
def TJ_WindowSumBackwardOp : TJ_WindowSum<"window_sum_backward"> {
  let summary = "Gradient of window_sum for its input: each cell has the sum over the windows that cover it.";
  let arguments = !con((ins TJ_Tensor<"[n x c x windows]">:$grad, TJ_Ints<"sizes of the input">:$input_sizes), SumWindow);
  let results = (outs TJ_Result<"of `input_sizes`">:$y);
  let infer = "windowSumBackward";
  let vjp = Vjp<(grads (window_sum $g, $kernel, $stride, $low, $high, $dilation))>;
  let errors = "`shape_error` where the sizes do not belong to one window sum.";
  let sample = Calls<["window_sum_backward(f32({2, 3, 3, 5}), {2, 3, 6, 5}, {2, 3}, {2, 1}, {0, 1}, {0, 1}, {1, 1})",
                      "window_sum_backward(f32({1, 2, 4}), {1, 2, 9}, {3}, {2}, {2}, {1}, {2})",
                      "window_sum_backward(f32({1, 2, 3}), {1, 2, 8}, {2}, {3}, {0}, {0}, {1})"]>;
  let examples = [Example<"window_sum_backward(ones({1, 1, 2}), {1, 1, 4}, {3}, {2}, {1}, {0}, {1})", "[[[1, 2, 1, 1]]]">];
}

// Made of other ops.
def TJ_MaxPool1d : TJ_Composite<"max_pool1d", "E"> {
  let summary = "Largest element of each window, and its position along the last dim: max_pool2d of height 1.";
  let arguments = !con((ins TJ_Tensor<"[n x c x l] or [c x l]">:$x, TJ_Int<"size of the window">:$kernel,
                            TJ_Attr<"Int", "std::optional<int64_t>", "distance of windows; default: the kernel", "std::nullopt">:$stride,
                            TJ_Int<"cells added on each side, at most half a window; they never win", "0">:$padding,
                            TJ_Int<"distance of the cells of a window", "1">:$dilation), CeilMode);
  let results = (outs TJ_Result<"[n x c x l']">:$y, TJ_Result<"i64 positions">:$indices);
  let functions = ["max_pool1d_with_indices"];
  let firstResultFunctions = ["max_pool1d"];
  let method = 0;
  let errors = "as max_pool2d.";
  let sample = Calls<["max_pool1d(f32({2, 3, 9}), 3, 2, 1)", "max_pool1d(f32({3, 8}), 2)"]>;
  let examples = [Example<"max_pool1d(reshape(tensor({1.f, 2.f, 4.f, 3.f}), {1, 4}), 2)", "[[2, 4]]">];
}

// An average counts the cells of its window that lie in the input, or in the padding too.
defvar AverageMode = (ins TJ_Bool<"a last window that starts inside but ends outside counts">:$ceil_mode,
                          TJ_Bool<"cells of the padding count", "true">:$count_include_pad);
defvar Divisor = (ins TJ_Attr<"Int", "std::optional<int64_t>", "divides all sums instead of the count of cells", "std::nullopt">:$divisor_override);
class TJ_AvgPool<string mnemonic> : TJ_Composite<mnemonic, "T"> {
  let method = 0;
  let errors = "`value_error` for a pad above half the window, a kernel or stride below 1, a divisor of 0; `shape_error` for an empty result; `type_error` for integers.";
}
def TJ_AvgPool1d : TJ_AvgPool<"avg_pool1d"> {
  let summary = "Mean of each window along the last dim.";
  let arguments = !con((ins TJ_Tensor<"[n x c x l] or [c x l]">:$x, TJ_Int<"size of the window">:$kernel,
                            TJ_Attr<"Int", "std::optional<int64_t>", "distance of windows; default: the kernel", "std::nullopt">:$stride,
                            TJ_Int<"zeros added on each side, at most half a window", "0">:$padding), AverageMode);
  let sample = Calls<["avg_pool1d(f32({2, 3, 9}), 3, 2, 1)", "avg_pool1d(f32({2, 8}), 3, 2, 1, true, false)"]>;
  let examples = [Example<"avg_pool1d(reshape(tensor({1.f, 2.f, 4.f, 3.f}), {1, 4}), 2)", "[[1.5, 3.5]]">];
}
def TJ_AvgPool2d : TJ_AvgPool<"avg_pool2d"> {
  let summary = "Mean of each window of an image.";
  let arguments = !con((ins TJ_Tensor<"[n x c x h x w] or [c x h x w]">:$x, TJ_Pair<"size of the window">:$kernel,
                            TJ_PairOr<"distance of windows; default: the kernel", "kernel">:$stride,
                            TJ_Pair<"zeros added on each side, at most half a window", "0">:$padding), AverageMode, Divisor);
  let sample = Calls<["avg_pool2d(f32({2, 3, 6, 6}), 2)", "avg_pool2d(f32({1, 2, 7, 5}), 3, 2, 1)",
                      "avg_pool2d(f32({1, 2, 7, 7}), 3, 2, 1, true, false)", "avg_pool2d(f32({1, 2, 7, 7}), {2, 3}, 2, 0, true, true, 5)"]>;
  let examples = [Example<"avg_pool2d(reshape(tensor({1.f, 2.f, 4.f, 3.f}), {1, 1, 2, 2}), 2)", "[[[[2.5]]]]">];
}
def TJ_AvgPool3d : TJ_AvgPool<"avg_pool3d"> {
  let summary = "Mean of each window of a volume.";
  let arguments = !con((ins TJ_Tensor<"[n x c x d x h x w] or [c x d x h x w]">:$x, TJ_Triple<"size of the window">:$kernel,
                            TJ_TripleOr<"distance of windows; default: the kernel", "kernel">:$stride,
                            TJ_Triple<"zeros added on each side, at most half a window", "0">:$padding), AverageMode, Divisor);
  let sample = Calls<["avg_pool3d(f32({2, 2, 4, 4, 4}), 2)", "avg_pool3d(f32({1, 2, 5, 5, 4}), {3, 2, 2}, 2, 1, true, false)"]>;
  let examples = [Example<"avg_pool3d(ones({1, 1, 2, 2, 2}), 2)", "[[[[[1]]]]]">];
}

// Cell i of o along a dim of size n covers floor(i n / o) to ceil((i + 1) n / o).
class TJ_AdaptivePool<string mnemonic, string cls> : TJ_Composite<mnemonic, cls> {
  let method = 0;
}
class TJ_AdaptiveAvgPool<string mnemonic, string sizes> : TJ_AdaptivePool<mnemonic, "T"> {
  let summary = "Means of windows that share the input out among the cells of a result of given size.";
  let arguments = (ins TJ_Tensor<sizes>:$x, TJ_Attr<"Ints", "const Dims &", "sizes of the result; one number for all dims", "">:$output_size);
  let errors = "`value_error` for a negative output size, `shape_error` for another rank or an empty dim, `type_error` for integers.";
}
def TJ_AdaptiveAvgPool1d : TJ_AdaptiveAvgPool<"adaptive_avg_pool1d", "[n x c x l] or [c x l]"> {
  let sample = Calls<["adaptive_avg_pool1d(f32({2, 3, 7}), 3)", "adaptive_avg_pool1d(f32({2, 8}), 4)"]>;
  let examples = [Example<"adaptive_avg_pool1d(reshape(tensor({1.f, 2.f, 3.f}), {1, 3}), 2)", "[[1.5, 2.5]]">];
}
def TJ_AdaptiveAvgPool2d : TJ_AdaptiveAvgPool<"adaptive_avg_pool2d", "[n x c x h x w] or [c x h x w]"> {
  let sample = Calls<["adaptive_avg_pool2d(f32({2, 3, 7, 7}), 1)", "adaptive_avg_pool2d(f32({2, 3, 7, 6}), {3, 2})"]>;
  let examples = [Example<"adaptive_avg_pool2d(reshape(tensor({1.f, 2.f, 4.f, 3.f}), {1, 1, 2, 2}), 1)", "[[[[2.5]]]]">];
}
def TJ_AdaptiveAvgPool3d : TJ_AdaptiveAvgPool<"adaptive_avg_pool3d", "[n x c x d x h x w] or [c x d x h x w]"> {
  let sample = Calls<["adaptive_avg_pool3d(f32({1, 2, 3, 5, 4}), {2, 3, 2})"]>;
  let examples = [Example<"adaptive_avg_pool3d(ones({1, 1, 2, 2, 2}), 1)", "[[[[[1]]]]]">];
}
class TJ_AdaptiveMaxPool<string mnemonic, string sizes> : TJ_AdaptivePool<mnemonic, "E"> {
  let summary = "Largest elements of windows that share the input out among the cells of a result of given size, and their positions; NaN wins, the first among ties.";
  let arguments = (ins TJ_Tensor<sizes>:$x, TJ_Attr<"Ints", "const Dims &", "sizes of the result; one number for all dims", "">:$output_size);
  let results = (outs TJ_Result<"values">:$y, TJ_Result<"i64 positions in the image plane, row-major">:$indices);
  let functions = [mnemonic # "_with_indices"];
  let firstResultFunctions = [mnemonic];
  let errors = "`value_error` for a negative output size, `shape_error` for another rank or an empty dim.";
}
def TJ_AdaptiveMaxPool1d : TJ_AdaptiveMaxPool<"adaptive_max_pool1d", "[n x c x l] or [c x l]"> {
  let sample = Calls<["adaptive_max_pool1d(f32({2, 3, 7}), 3)", "adaptive_max_pool1d(f32({2, 8}), 4)"]>;
  let examples = [Example<"adaptive_max_pool1d(reshape(tensor({1.f, 2.f, 3.f}), {1, 3}), 2)", "[[2, 3]]">];
}
def TJ_AdaptiveMaxPool2d : TJ_AdaptiveMaxPool<"adaptive_max_pool2d", "[n x c x h x w] or [c x h x w]"> {
  let sample = Calls<["adaptive_max_pool2d(f32({2, 3, 7, 7}), 1)", "adaptive_max_pool2d(f32({2, 3, 7, 6}), {3, 2})"]>;
  let examples = [Example<"std::get<1>(adaptive_max_pool2d_with_indices(reshape(tensor({1.f, 2.f, 4.f, 3.f}), {1, 1, 2, 2}), 1))", "[[[[2]]]]">];
}
def TJ_AdaptiveMaxPool3d : TJ_AdaptiveMaxPool<"adaptive_max_pool3d", "[n x c x d x h x w] or [c x d x h x w]"> {
  let sample = Calls<["adaptive_max_pool3d(f32({1, 2, 3, 5, 4}), {2, 3, 2})"]>;
  let examples = [Example<"adaptive_max_pool3d(ones({1, 1, 2, 2, 2}), 1)", "[[[[[1]]]]]">];
}
