include "Record.td"

defvar PoolWindow = (ins TJ_Pair<"size of the window">:$kernel,
                         TJ_PairOr<"distance of windows; default: the kernel", "kernel">:$stride,
                         TJ_Pair<"cells added on each side, at most half a window; they never win", "0">:$padding,
                         TJ_Pair<"distance of the cells of a window", "1">:$dilation);

def TJ_MaxPool2dOp : TJ_Op<"max_pool2d", "Window", "E"> {
  let summary = "Largest element of each window, and its position in the image plane; NaN wins, the first among ties.";
  let arguments = !con((ins TJ_Tensor<"[n x c x h x w]">:$x), PoolWindow,
                       (ins TJ_Bool<"a last window that starts inside but ends outside counts">:$ceil_mode));
  let results = (outs TJ_Result<"[n x c x h' x w']">:$y, TJ_Result<"i64 positions h * w + w in the plane of x">:$indices);
  let functions = ["max_pool2d_with_indices"];
  let firstResultFunctions = ["max_pool2d"];
  let method = 0;
  let dtypes = Numeric;
  let infer = "maxPool2d";
  let adapt = "adaptMaxPool2d";
  let vjp = Vjp<(grads (max_pool2d_grad $g, $indices, (sizes $x), $kernel, $stride, $padding, $dilation)), (saves $indices)>;
  let errors = "`value_error` for a pad above half the window, a kernel, stride or dilation below 1; `shape_error` for an empty result.";
  let sample = Calls<["max_pool2d(f32({2, 3, 6, 6}), 2)", "max_pool2d(f32({1, 2, 7, 5}), 3, 2, 1)",
                      "max_pool2d(f32({1, 2, 7, 7}), 2, 2, 0, 1, true)"]>;
  let examples = [Example<"max_pool2d(reshape(tensor({1.f, 2.f, 4.f, 3.f}), {1, 1, 2, 2}), 2)", "[[[[4]]]]">];
}
def TJ_MaxPool2dGradOp : TJ_Op<"max_pool2d_grad", "Window", "T"> {
  let summary = "Gradient of max_pool2d for its input: each gradient is added at the position that won.";
  let description = "The positions are those that max_pool2d gave: where one lies outside its window, its gradient may be lost.";
  let arguments = !con((ins TJ_Tensor<"gradient of the values, [n x c x h' x w']">:$grad,
                            TJ_Tensor<"i64 positions, [n x c x h' x w']">:$indices,
                            TJ_Ints<"sizes of the input">:$input_sizes), PoolWindow);
  let results = (outs TJ_Result<"of `input_sizes`">:$y);
  let method = 0;
  let infer = "maxPool2dGrad";
  let vjp = VjpFunction<"vjpMaxPool2dGrad", (saves $indices)>;
  let errors = "`shape_error` where the sizes do not belong to one pooling.";
  let sample = Calls<["max_pool2d_grad(f32({2, 3, 1, 1}), i64({2, 3, 1, 1}, 16), {2, 3, 4, 4}, 4)"]>;
  let examples = [Example<"max_pool2d_grad(ones({1, 1, 1, 1}), full({1, 1, 1, 1}, 3, kInt64), {1, 1, 2, 2}, 2)",
                          "[[[[0, 0], [0, 1]]]]">];
}
