include "Record.td"

class TJ_Softmax<string mnemonic> : TJ_Op<mnemonic, "Loss", "T"> {
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Dim<"dim that is normalised">:$dim);
  let results = (outs TJ_Result<"sizes of x">:$y);
  let promote = FloatOnly;
  let dtypes = Floating;
  let infer = "softmax";
  let errors = "`type_error` for integers and bool unless `dtype` names a float, `index_error` for a dim out of range.";
}
def TJ_SoftmaxOp : TJ_Softmax<"softmax"> {
  let summary = "exp(x - m) / sum(exp(x - m)) with m = max(x), over one dim.";
  let vjp = Vjp<(grads (softmax_grad $g, $y, $dim)), (saves $y)>;
  let sample = Calls<["softmax(f32({3, 5}), 1)", "softmax(f32({3, 5}), 0)", "softmax(f32({2, 3, 4}), -2)"]>;
  let examples = [Example<"softmax(tensor({0.f, 0.f}), 0)", "[0.5, 0.5]">];
}
def TJ_LogSoftmaxOp : TJ_Softmax<"log_softmax"> {
  let summary = "x - m - log(sum(exp(x - m))) with m = max(x), over one dim.";
  let vjp = Vjp<(grads (log_softmax_grad $g, $y, $dim)), (saves $y)>;
  let sample = Calls<["log_softmax(f32({3, 5}), 1)", "log_softmax(f32({3, 5}), 0)", "log_softmax(f32({2, 3, 4}), -2)"]>;
  let examples = [Example<"log_softmax(tensor({0.f}), 0)", "[0]">];
}
class TJ_SoftmaxGrad<string mnemonic> : TJ_Op<mnemonic, "Loss", "T"> {
  let arguments = (ins TJ_Tensor<"gradient of the result">:$grad, TJ_Tensor<"the result">:$y,
                       TJ_Dim<"dim that was normalised">:$dim);
  let results = (outs TJ_Result<"sizes of y">:$x);
  let method = 0;
  let promote = Together;
  let dtypes = Floating;
  let infer = "softmaxGrad";
  let errors = "`shape_error` where the sizes of grad and y differ.";
}
def TJ_SoftmaxGradOp : TJ_SoftmaxGrad<"softmax_grad"> {
  let summary = "y * (grad - sum(grad * y)).";
  let vjp = VjpFunction<"vjpSoftmaxGrad", (saves $grad, $y)>;
  let sample = Calls<["softmax_grad(f32({3, 5}), f32({3, 5}), 1)", "softmax_grad(f32({3, 5}), f32({3, 5}), 0)"]>;
  let examples = [Example<"softmax_grad(tensor({1.f, 0.f}), tensor({0.5f, 0.5f}), 0)", "[0.25, -0.25]">];
}
def TJ_LogSoftmaxGradOp : TJ_SoftmaxGrad<"log_softmax_grad"> {
  let summary = "grad - exp(y) * sum(grad).";
  let vjp = VjpFunction<"vjpLogSoftmaxGrad", (saves $grad, $y)>;
  let sample = Calls<["log_softmax_grad(f32({3, 5}), f32({3, 5}), 1)", "log_softmax_grad(f32({3, 5}), f32({3, 5}), 0)"]>;
  let examples = [Example<"log_softmax_grad(tensor({1.f}), tensor({0.f}), 0)", "[0]">];
}

class TJ_ClassLoss<string mnemonic> : TJ_Op<mnemonic, "Loss", "T"> {
  let method = 0;
  let dtypes = Floating;
  let indexCheck = ChecksIndex<"target", "x", "1">;
}
def TJ_NllLossOp : TJ_ClassLoss<"nll_loss"> {
  let summary = "-x[i, target[i]] for each row; the mean divides by the rows that are not ignored.";
  let arguments = (ins TJ_Tensor<"log-probabilities, [n x classes]">:$x, TJ_Tensor<"i64 or i32 classes, [n]">:$target,
                       TJ_Reduction:$reduction, TJ_Int<"target of rows that do not count", "-100">:$ignore_index);
  let results = (outs TJ_Result<"[] or, without reduction, [n]">:$y);
  let infer = "nllLoss";
  let adapt = "adaptNllLoss";
  let vjp = VjpFunction<"vjpNllLoss", (saves $target)>;
  let errors = "`type_error` for float targets, `shape_error` where the rows differ, `index_error` for a target outside [0, classes) that is not ignored.";
  let sample = Calls<["nll_loss(f32({4, 3}), i64({4}, 3))", "nll_loss(f32({4, 3}), i64({4}, 3), Reduction::Sum, 1)",
                      "nll_loss(f32({4, 3}), i64({4}, 3), Reduction::None)"]>;
  let examples = [Example<"nll_loss(tensor({{-1.f, -2.f}}), full({1}, 1, kInt64))", "2">];
}
def TJ_CrossEntropyOp : TJ_ClassLoss<"cross_entropy"> {
  let summary = "-log_softmax(x)[i, target[i]] for each row, mixed with the mean over classes by label_smoothing.";
  let description = [{
    With l = log_softmax(x, 1) and e = label_smoothing, the loss of a row is (1-e) * -l[target] + e/C * sum_c(-l[c]);
    ignored rows give 0. The mean divides by the rows that are not ignored, so it is NaN when there are none.
  }];
  let arguments = (ins TJ_Tensor<"logits, [n x classes]">:$x, TJ_Tensor<"i64 or i32 classes, [n]">:$target,
                       TJ_Reduction:$reduction, TJ_Int<"target of rows that do not count", "-100">:$ignore_index,
                       TJ_Float<"weight of the uniform distribution, in [0, 1]", "0.0">:$label_smoothing);
  let results = (outs TJ_Result<"[] or, without reduction, [n]">:$y, TJ_Result<"log of the sum of exp over each row, [n]">:$logsumexp);
  let functions = [];
  let firstResultFunctions = ["cross_entropy"];
  let infer = "crossEntropy";
  let adapt = "adaptCrossEntropy";
  let vjp = VjpFunction<"vjpCrossEntropy", (saves $x, $logsumexp, $target)>;
  let errors = "`type_error` for float targets, `shape_error` where the rows differ, `value_error` for label_smoothing outside [0, 1], `index_error` for a target outside [0, classes) that is not ignored.";
  let sample = Calls<["cross_entropy(f32({4, 3}), i64({4}, 3))", "cross_entropy(f32({4, 3}), i64({4}, 3), Reduction::Sum, 1)",
                      "cross_entropy(f32({4, 3}), i64({4}, 3), Reduction::None, -100, 0.1)"]>;
  let examples = [Example<"cross_entropy(tensor({{0.f, 0.f}}), full({1}, 1, kInt64))", "0.6931472">];
}
def TJ_CrossEntropyGradOp : TJ_Op<"cross_entropy_grad", "Loss", "T"> {
  let summary = "Gradient of cross_entropy for the logits: (softmax - target distribution) times the scale of the row.";
  let description = "A target that is neither a class nor ignored gives a row without the target's term; the forward op reports it.";
  let arguments = (ins TJ_Tensor<"gradient of the loss, [] or [n]">:$grad, TJ_Tensor<"logits, [n x classes]">:$x,
                       TJ_Tensor<"log of the sum of exp over each row, [n]">:$logsumexp, TJ_Tensor<"classes, [n]">:$target,
                       TJ_Reduction:$reduction, TJ_Int<"target of rows that do not count", "-100">:$ignore_index,
                       TJ_Float<"weight of the uniform distribution, in [0, 1]", "0.0">:$label_smoothing);
  let results = (outs TJ_Result<"sizes of x">:$y);
  let method = 0;
  let infer = "crossEntropyGrad";
  let vjp = VjpFunction<"vjpCrossEntropyGrad", (saves $grad, $x, $logsumexp, $target)>;
  let errors = "`shape_error` where the sizes do not belong to one loss.";
  let sample = Calls<["cross_entropy_grad(f32({}), f32({4, 3}), f32({4}), i64({4}, 3))"]>;
  let examples = [Example<"cross_entropy_grad(ones({}), tensor({{3.f}}), tensor({3.f}), zeros({1}, kInt64))", "[[0]]">];
}

// Made of other ops.
class TJ_ElementLoss<string mnemonic> : TJ_Composite<mnemonic, "T"> {
  let method = 0;
  let arguments = (ins TJ_Tensor<"prediction">:$x, TJ_Tensor<"target; sizes broadcast">:$target, TJ_Reduction:$reduction);
  let errors = "`shape_error` where the sizes do not broadcast.";
}
def TJ_MseLoss : TJ_ElementLoss<"mse_loss"> {
  let summary = "(x - target)^2.";
  let compose = (reduced_loss (square (sub $x, $target)), $reduction);
  let sample = Calls<["mse_loss(f32({3, 4}), f32({3, 4}))", "mse_loss(f32({3, 4}), f32({4}), Reduction::Sum)"]>;
  let examples = [Example<"mse_loss(tensor({3.f}), tensor({1.f}))", "4">];
}
def TJ_L1Loss : TJ_ElementLoss<"l1_loss"> {
  let summary = "|x - target|.";
  let compose = (reduced_loss (abs (sub $x, $target)), $reduction);
  let sample = Calls<["l1_loss(f32({3, 4}), f32({3, 4}))"]>;
  let examples = [Example<"l1_loss(tensor({3.f}), tensor({1.f}))", "2">];
}
def TJ_SmoothL1Loss : TJ_ElementLoss<"smooth_l1_loss"> {
  let summary = "With d = |x - target|: d*d / (2 beta) below beta, d - beta/2 from there on; beta 0 is l1_loss.";
  let arguments = (ins TJ_Tensor<"prediction">:$x, TJ_Tensor<"target; sizes broadcast">:$target, TJ_Reduction:$reduction,
                       TJ_Float<"where the square ends", "1">:$beta);
  let errors = "`value_error` for a negative beta; `shape_error` where the sizes do not broadcast.";
  let sample = Calls<["smooth_l1_loss(f32({3, 4}), f32({3, 4}))"]>;
  let examples = [Example<"smooth_l1_loss(tensor({3.f}), tensor({1.f}))", "1.5">];
}
def TJ_HuberLoss : TJ_ElementLoss<"huber_loss"> {
  let summary = "With d = |x - target|: d*d/2 up to delta, delta * (d - delta/2) above.";
  let arguments = (ins TJ_Tensor<"prediction">:$x, TJ_Tensor<"target; sizes broadcast">:$target, TJ_Reduction:$reduction,
                       TJ_Float<"where the square ends, above 0", "1">:$delta);
  let errors = "`value_error` for a delta that is not above 0; `shape_error` where the sizes do not broadcast.";
  let sample = Calls<["huber_loss(f32({3, 4}), f32({3, 4}))"]>;
  let examples = [Example<"huber_loss(tensor({3.f}), tensor({1.f}))", "1.5">];
}
def TJ_BceWithLogits : TJ_ElementLoss<"binary_cross_entropy_with_logits"> {
  let summary = "(1-z)*x + (1+(q-1)*z) * (log1p(exp(-|x|)) + max(-x, 0)), times weight; q is pos_weight.";
  let arguments = (ins TJ_Tensor<"logits">:$x, TJ_Tensor<"probabilities z, sizes of x">:$target, TJ_OptionalTensor<"weight of each loss; broadcasts">:$weight,
                       TJ_OptionalTensor<"weight of the positive class; broadcasts">:$pos_weight, TJ_Reduction:$reduction);
  let errors = "`shape_error` where the target has other sizes.";
  let sample = Calls<["binary_cross_entropy_with_logits(f32({3, 4}), f32({3, 4}))"]>;
  let examples = [Example<"binary_cross_entropy_with_logits(tensor({100.f}), tensor({0.f}))", "100">];
}
def TJ_BinaryCrossEntropy : TJ_ElementLoss<"binary_cross_entropy"> {
  let summary = "-(z*log(x) + (1-z)*log(1-x)), times weight; logarithms are at least -100.";
  let arguments = (ins TJ_Tensor<"probabilities">:$x, TJ_Tensor<"probabilities z, sizes of x">:$target, TJ_OptionalTensor<"weight of each loss; broadcasts">:$weight,
                       TJ_Reduction:$reduction);
  let errors = "`shape_error` where the target has other sizes.";
  let sample = Calls<["binary_cross_entropy(sigmoid(f32({3, 4})), f32({3, 4}))"]>;
  let examples = [Example<"binary_cross_entropy(tensor({0.f}), tensor({1.f}))", "100">];
}
def TJ_KlDiv : TJ_ElementLoss<"kl_div"> {
  let summary = "target * (log(target) - x), 0 where target is 0; with log_target exp(target) * (target - x).";
  let arguments = (ins TJ_Tensor<"log-probabilities">:$x, TJ_Tensor<"probabilities, or their logarithms">:$target, TJ_Reduction:$reduction,
                       TJ_Bool<"target holds logarithms">:$log_target);
  let sample = Calls<["kl_div(f32({3, 4}), sigmoid(f32({3, 4})))"]>;
  let examples = [Example<"kl_div(tensor({0.f}), tensor({1.f}))", "0">];
}
