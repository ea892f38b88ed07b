include "Record.td"

class TJ_Contraction<string mnemonic> : TJ_Op<mnemonic, "Contraction", "T"> {
  let promote = Together;
  let dtypes = Floating;
}

def TJ_MatmulOp : TJ_Contraction<"matmul"> {
  let summary = "Matrix product [m x k] by [k x n], or a batch of them [b x m x k] by [b x k x n]. k = 0 gives zeros.";
  let description = "The function `matmul` follows torch's rank rules (vectors, batch dims that broadcast) on top of it.";
  let arguments = (ins TJ_Tensor<"rank 2 or 3">:$a, TJ_Tensor<"rank of a">:$b);
  let results = (outs TJ_Result<"[m x n] or [b x m x n]">:$y);
  let functions = [];
  let dtypes = Numeric;
  let infer = "matmul";
  let vjp = Vjp<(grads (matmul $g, (transpose $b, "-1", "-2")), (matmul (transpose $a, "-1", "-2"), $g)), (saves $a, $b)>;
  let errors = "`shape_error` where the inner sizes differ.";
  let sample = Calls<["matmul(f32({3, 4}), f32({4, 5}))", "matmul(f32({2, 3, 4}), f32({2, 4, 5}))",
                      "matmul(f32({3, 4}), f32({4}))", "matmul(f32({3, 0}), f32({0, 5}))"]>;
  let examples = [Example<"matmul(tensor({{1.f, 2.f}}), tensor({{3.f}, {4.f}}))", "[[11]]">];
}
def TJ_LinearOp : TJ_Contraction<"linear"> {
  let summary = "x w^T + b, rounded once: a fully connected layer.";
  let arguments = (ins TJ_Tensor<"[... x in]">:$x, TJ_Tensor<"weight, [out x in]">:$w,
                       TJ_OptionalTensor<"bias, [out]">:$b);
  let results = (outs TJ_Result<"[... x out]">:$y);
  let method = 0;
  let infer = "linear";
  let adapt = "adaptLinear";
  let vjp = VjpFunction<"vjpLinear", (saves $x, $w)>;
  let errors = "`shape_error` where the sizes do not fit.";
  let sample = Calls<["linear(f32({3, 4}), f32({5, 4}), f32({5}))", "linear(f32({2, 3, 4}), f32({5, 4}))"]>;
  let examples = [Example<"linear(tensor({{1.f, 2.f}}), tensor({{3.f, 4.f}}), tensor({1.f}))", "[[12]]">];
}

defvar ConvWindow = (ins TJ_Pair<"distance of windows, at least 1", "1">:$stride,
                         TJ_Pair<"zeros added on each side", "0">:$padding,
                         TJ_Pair<"distance of the cells of a window, at least 1", "1">:$dilation,
                         TJ_Int<"groups of channels; divides both channel counts", "1">:$groups);
defvar ConvWindow3d = (ins TJ_Triple<"distance of windows, at least 1", "1">:$stride,
                           TJ_Triple<"zeros added on each side", "0">:$padding,
                           TJ_Triple<"distance of the cells of a window, at least 1", "1">:$dilation,
                           TJ_Int<"groups of channels; divides both channel counts", "1">:$groups);

class TJ_Conv<string mnemonic, string x, string w, string y, dag window> : TJ_Contraction<mnemonic> {
  let arguments = !con((ins TJ_Tensor<x>:$x, TJ_Tensor<"weight, "#w>:$w, TJ_OptionalTensor<"bias, [o]">:$b), window);
  let results = (outs TJ_Result<y#", h' = floor((h + 2 padding - dilation (kh - 1) - 1) / stride) + 1">:$y);
  let method = 0;
  let infer = "conv";
  let errors = "`shape_error` where channels do not fit or the result would be empty, `value_error` for stride or dilation below 1 or negative padding.";
}
class TJ_ConvInputGrad<string mnemonic, string conv, string y, string w, dag window> : TJ_Contraction<mnemonic> {
  let summary = "Gradient of "#conv#" for its input.";
  let arguments = !con((ins TJ_Tensor<"gradient of the result, "#y>:$grad, TJ_Tensor<"weight, "#w>:$w,
                            TJ_Ints<"sizes of the input">:$input_sizes), window);
  let results = (outs TJ_Result<"of `input_sizes`">:$y);
  let method = 0;
  let infer = "convInputGrad";
  let errors = "`shape_error` where the sizes do not belong to one convolution.";
}
class TJ_ConvWeightGrad<string mnemonic, string conv, string y, string x, dag window> : TJ_Contraction<mnemonic> {
  let summary = "Gradient of "#conv#" for its weight.";
  let arguments = !con((ins TJ_Tensor<"gradient of the result, "#y>:$grad, TJ_Tensor<x>:$x,
                            TJ_Ints<"sizes of the weight">:$weight_sizes), window);
  let results = (outs TJ_Result<"of `weight_sizes`">:$y);
  let method = 0;
  let infer = "convWeightGrad";
  let errors = "`shape_error` where the sizes do not belong to one convolution.";
}

def TJ_Conv2dOp : TJ_Conv<"conv2d", "[n x c x h x w]", "[o x c/groups x kh x kw]", "[n x o x h' x w']", ConvWindow> {
  let summary = "Cross-correlation of images with a bank of windows, plus a bias for each output channel, rounded once.";
  let adapt = "adaptConv2d";
  let vjp = Vjp<(grads (conv2d_input_grad $g, $w, (sizes $x), $stride, $padding, $dilation, $groups),
                       (conv2d_weight_grad $g, $x, (sizes $w), $stride, $padding, $dilation, $groups),
                       (sum $g, "{0, 2, 3}")), (saves $x, $w)>;
  let sample = Calls<["conv2d(f32({2, 3, 6, 5}), f32({4, 3, 3, 3}), f32({4}), 1, 1)",
                      "conv2d(f32({1, 4, 7, 7}), f32({2, 2, 3, 3}), {}, 2, 0, 1, 2)"]>;
  let examples = [Example<"conv2d(ones({1, 1, 2, 2}), ones({1, 1, 2, 2}))", "[[[[4]]]]">];
}
def TJ_Conv2dInputGradOp : TJ_ConvInputGrad<"conv2d_input_grad", "conv2d", "[n x o x h' x w']", "[o x c/groups x kh x kw]", ConvWindow> {
  let vjp = Vjp<(grads (conv2d $g, $w, "{}", $stride, $padding, $dilation, $groups),
                       (conv2d_weight_grad $grad, $g, (sizes $w), $stride, $padding, $dilation, $groups)),
                (saves $grad, $w)>;
  let sample = Calls<["conv2d_input_grad(f32({2, 4, 6, 5}), f32({4, 3, 3, 3}), {2, 3, 6, 5}, 1, 1)"]>;
  let examples = [Example<"conv2d_input_grad(ones({1, 1, 1, 1}), ones({1, 1, 1, 2}), {1, 1, 1, 2})", "[[[[1, 1]]]]">];
}
def TJ_Conv2dWeightGradOp : TJ_ConvWeightGrad<"conv2d_weight_grad", "conv2d", "[n x o x h' x w']", "[n x c x h x w]", ConvWindow> {
  let vjp = Vjp<(grads (conv2d $x, $g, "{}", $stride, $padding, $dilation, $groups),
                       (conv2d_input_grad $grad, $g, (sizes $x), $stride, $padding, $dilation, $groups)),
                (saves $grad, $x)>;
  let sample = Calls<["conv2d_weight_grad(f32({2, 4, 6, 5}), f32({2, 3, 6, 5}), {4, 3, 3, 3}, 1, 1)"]>;
  let examples = [Example<"conv2d_weight_grad(ones({1, 1, 1, 1}), ones({1, 1, 1, 2}), {1, 1, 1, 2})", "[[[[1, 1]]]]">];
}
def TJ_Conv3dOp : TJ_Conv<"conv3d", "[n x c x d x h x w]", "[o x c/groups x kd x kh x kw]", "[n x o x d' x h' x w']", ConvWindow3d> {
  let summary = "Cross-correlation of volumes with a bank of windows, plus a bias for each output channel, rounded once.";
  let adapt = "adaptConv3d";
  let vjp = Vjp<(grads (conv3d_input_grad $g, $w, (sizes $x), $stride, $padding, $dilation, $groups),
                       (conv3d_weight_grad $g, $x, (sizes $w), $stride, $padding, $dilation, $groups),
                       (sum $g, "{0, 2, 3, 4}")), (saves $x, $w)>;
  let sample = Calls<["conv3d(f32({1, 2, 2, 3, 3}), f32({3, 2, 2, 3, 3}), f32({3}), 1, 1)",
                      "conv3d(f32({1, 4, 4, 3, 4}), f32({2, 2, 2, 3, 2}), {}, {2, 1, 2}, 0, 1, 2)"]>;
  let examples = [Example<"conv3d(ones({1, 1, 1, 2, 2}), ones({1, 1, 1, 2, 2}))", "[[[[[4]]]]]">];
}
def TJ_Conv3dInputGradOp : TJ_ConvInputGrad<"conv3d_input_grad", "conv3d", "[n x o x d' x h' x w']", "[o x c/groups x kd x kh x kw]", ConvWindow3d> {
  let vjp = Vjp<(grads (conv3d $g, $w, "{}", $stride, $padding, $dilation, $groups),
                       (conv3d_weight_grad $grad, $g, (sizes $w), $stride, $padding, $dilation, $groups)),
                (saves $grad, $w)>;
  let sample = Calls<["conv3d_input_grad(f32({1, 2, 2, 2, 2}), f32({2, 2, 2, 3, 3}), {1, 2, 3, 3, 4}, {1, 2, 2}, {0, 1, 1})"]>;
  let examples = [Example<"conv3d_input_grad(ones({1, 1, 1, 1, 1}), ones({1, 1, 1, 1, 2}), {1, 1, 1, 1, 2})", "[[[[[1, 1]]]]]">];
}
def TJ_Conv3dWeightGradOp : TJ_ConvWeightGrad<"conv3d_weight_grad", "conv3d", "[n x o x d' x h' x w']", "[n x c x d x h x w]", ConvWindow3d> {
  let vjp = Vjp<(grads (conv3d $x, $g, "{}", $stride, $padding, $dilation, $groups),
                       (conv3d_input_grad $grad, $g, (sizes $x), $stride, $padding, $dilation, $groups)),
                (saves $grad, $x)>;
  let sample = Calls<["conv3d_weight_grad(f32({1, 2, 2, 2, 2}), f32({1, 2, 3, 3, 4}), {2, 2, 2, 3, 3}, {1, 2, 2}, {0, 1, 1})"]>;
  let examples = [Example<"conv3d_weight_grad(ones({1, 1, 1, 1, 1}), ones({1, 1, 1, 1, 2}), {1, 1, 1, 1, 2})", "[[[[[1, 1]]]]]">];
}

// Made of other ops.
class TJ_MatrixSum<string mnemonic, string ranks> : TJ_Composite<mnemonic, "T"> {
  let arguments = (ins TJ_Tensor<"added; sizes broadcast to those of the product">:$c, TJ_Tensor<ranks>:$a, TJ_Tensor<ranks>:$b,
                       TJ_Number<"factor of c; 0: c is not read", "1">:$beta, TJ_Number<"factor of the product", "1">:$alpha);
  let errors = "`shape_error` where the sizes do not fit.";
}
def TJ_Addmm : TJ_MatrixSum<"addmm", "rank 2"> {
  let summary = "beta * c + alpha * (a b).";
  let sample = Calls<["addmm(f32({5}), f32({3, 4}), f32({4, 5}))", "addmm(f32({3, 5}), f32({3, 4}), f32({4, 5}), 0.5, 2.0)"]>;
  let examples = [Example<"addmm(tensor({{1.f}}), tensor({{2.f}}), tensor({{3.f}}))", "[[7]]">];
}
def TJ_Baddbmm : TJ_MatrixSum<"baddbmm", "rank 3"> {
  let summary = "beta * c + alpha * (a b) for a batch of matrices.";
  let sample = Calls<["baddbmm(f32({2, 3, 5}), f32({2, 3, 4}), f32({2, 4, 5}))"]>;
  let examples = [Example<"baddbmm(ones({1, 1, 1}), ones({1, 1, 2}), ones({1, 2, 1}))", "[[[3]]]">];
}
def TJ_Dot : TJ_Composite<"dot", "T"> {
  let summary = "Sum of the products of two vectors.";
  let arguments = (ins TJ_Tensor<"rank 1">:$a, TJ_Tensor<"rank 1">:$b);
  let errors = "`shape_error` for other ranks or sizes that differ.";
  let sample = Calls<["dot(f32({5}), f32({5}))"]>;
  let examples = [Example<"dot(tensor({1.f, 2.f}), tensor({3.f, 4.f}))", "11">];
}
def TJ_Mv : TJ_Composite<"mv", "T"> {
  let summary = "Matrix times vector.";
  let arguments = (ins TJ_Tensor<"rank 2">:$a, TJ_Tensor<"rank 1">:$b);
  let errors = "`shape_error` for other ranks or inner sizes that differ.";
  let sample = Calls<["mv(f32({3, 5}), f32({5}))"]>;
  let examples = [Example<"mv(tensor({{1.f, 2.f}}), tensor({3.f, 4.f}))", "[11]">];
}
def TJ_Conv1d : TJ_Composite<"conv1d", "T"> {
  let summary = "Cross-correlation of signals with a bank of windows: conv2d of height 1.";
  let arguments = (ins TJ_Tensor<"[n x c x l] or [c x l]">:$x, TJ_Tensor<"weight, [o x c/groups x k]">:$w, TJ_OptionalTensor<"bias, [o]">:$b,
                       TJ_Int<"distance of windows", "1">:$stride, TJ_Int<"zeros added on each side", "0">:$padding,
                       TJ_Int<"distance of the cells of a window", "1">:$dilation, TJ_Int<"groups of channels", "1">:$groups);
  let method = 0;
  let errors = "as conv2d.";
  let sample = Calls<["conv1d(f32({2, 3, 6}), f32({4, 3, 3}), f32({4}), 1, 1)"]>;
  let examples = [Example<"conv1d(ones({1, 1, 2}), ones({1, 1, 2}))", "[[[2]]]">];
}
class TJ_ConvTranspose<string mnemonic> : TJ_Composite<mnemonic, "T"> {
  let summary = "The convolution whose weight this is, turned round: each element of x adds a window of weights to the result.";
  let method = 0;
  let errors = "`shape_error` where channels do not fit or the result would be empty, `value_error` for stride or dilation below 1, negative padding, or output_padding of at least stride and dilation.";
}
def TJ_ConvTranspose1d : TJ_ConvTranspose<"conv_transpose1d"> {
  let arguments = (ins TJ_Tensor<"[n x c x l] or [c x l]">:$x, TJ_Tensor<"weight, [c x o/groups x k]">:$w, TJ_OptionalTensor<"bias, [o]">:$b,
                       TJ_Int<"distance of windows in the result", "1">:$stride, TJ_Int<"cells cut off on each side", "0">:$padding,
                       TJ_Int<"cells added behind", "0">:$output_padding, TJ_Int<"groups of channels", "1">:$groups,
                       TJ_Int<"distance of the cells of a window", "1">:$dilation);
  let sample = Calls<["conv_transpose1d(f32({2, 3, 4}), f32({3, 2, 3}), f32({2}), 2, 1, 1)"]>;
  let examples = [Example<"conv_transpose1d(ones({1, 1, 2}), ones({1, 1, 2}))", "[[[1, 2, 1]]]">];
}
def TJ_ConvTranspose2d : TJ_ConvTranspose<"conv_transpose2d"> {
  let arguments = (ins TJ_Tensor<"[n x c x h x w] or [c x h x w]">:$x, TJ_Tensor<"weight, [c x o/groups x kh x kw]">:$w,
                       TJ_OptionalTensor<"bias, [o]">:$b, TJ_Pair<"distance of windows in the result", "1">:$stride,
                       TJ_Pair<"cells cut off on each side", "0">:$padding, TJ_Pair<"cells added behind", "0">:$output_padding,
                       TJ_Int<"groups of channels", "1">:$groups, TJ_Pair<"distance of the cells of a window", "1">:$dilation);
  let sample = Calls<["conv_transpose2d(f32({1, 3, 2, 3}), f32({3, 2, 3, 3}), f32({2}), 2, 1, 1)",
                      "conv_transpose2d(f32({1, 4, 2, 2}), f32({4, 1, 2, 2}), {}, 1, 0, 0, 2, 2)"]>;
  let examples = [Example<"conv_transpose2d(ones({1, 1, 1, 1}), ones({1, 1, 1, 2}))", "[[[[1, 1]]]]">];
}
def TJ_ConvTranspose3d : TJ_ConvTranspose<"conv_transpose3d"> {
  let arguments = (ins TJ_Tensor<"[n x c x d x h x w] or [c x d x h x w]">:$x, TJ_Tensor<"weight, [c x o/groups x kd x kh x kw]">:$w,
                       TJ_OptionalTensor<"bias, [o]">:$b, TJ_Triple<"distance of windows in the result", "1">:$stride,
                       TJ_Triple<"cells cut off on each side", "0">:$padding, TJ_Triple<"cells added behind", "0">:$output_padding,
                       TJ_Int<"groups of channels", "1">:$groups, TJ_Triple<"distance of the cells of a window", "1">:$dilation);
  let sample = Calls<["conv_transpose3d(f32({1, 2, 2, 2, 2}), f32({2, 2, 2, 2, 3}), f32({2}), 2, 1, {1, 0, 1})"]>;
  let examples = [Example<"conv_transpose3d(ones({1, 1, 1, 1, 1}), ones({1, 1, 1, 1, 2}))", "[[[[[1, 1]]]]]">];
}
