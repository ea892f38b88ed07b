include "Record.td"

// Pointwise activations beyond the common ones.
class TJ_Activation<string mnemonic, string bitClass> : TJ_FloatUnary<mnemonic, bitClass>;
class TJ_ScaledActivation<string mnemonic, string bitClass> : TJ_Pointwise<mnemonic, bitClass> {
  let inPlace = 1;
  let dtypes = Floating;
  let promote = FloatOrF32;
}

def TJ_EluOp : TJ_ScaledActivation<"elu", "M"> {
  let summary = "x where x > 0, else alpha * (exp(x) - 1).";
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Number<"minus the limit below", "1.0">:$alpha);
  let expr = [(select (gt $x, "0"), $x, (mul $alpha, (expm1 $x)))];
  let vjp = Vjp<(grads (where (gt $x, "0"), $g, (mul (mul $g, $alpha), (exp $x))), none), (saves $x, $alpha)>;
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"elu(tensor({0.f, 2.f}))", "[0, 2]">];
}
def TJ_SeluOp : TJ_Activation<"selu", "M"> {
  let summary = "1.0507 * elu(x, 1.6733), with both constants in full precision.";
  let expr = [(mul "1.05070098735548049342", (select (gt $x, "0"), $x, (mul "1.67326324235437728482", (expm1 $x))))];
  let vjp = Vjp<(grads (mul (mul $g, "1.05070098735548049342"),
                            (where (gt $x, "0"), "1.0", (mul (exp $x), "1.67326324235437728482")))), (saves $x)>;
  let source = "Klambauer et al., Self-normalizing neural networks, 2017";
  let special = [Edge<"-0.0", "-0.0">, Edge<"nan", "nan">];
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"selu(tensor({0.f}))", "[0]">];
}
def TJ_CeluOp : TJ_ScaledActivation<"celu", "M"> {
  let summary = "x where x > 0, else alpha * (exp(x / alpha) - 1).";
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Number<"minus the limit below", "1.0">:$alpha);
  let expr = [(select (gt $x, "0"), $x, (mul $alpha, (expm1 (div $x, $alpha))))];
  let vjp = Vjp<(grads (where (gt $x, "0"), $g, (mul $g, (exp (div $x, $alpha)))), none), (saves $x, $alpha)>;
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"celu(tensor({0.f, 2.f}), 2.0)", "[0, 2]">];
}
def TJ_SoftsignOp : TJ_Activation<"softsign", "E"> {
  let summary = "x / (1 + |x|); values in (-1, 1).";
  let expr = [(div $x, (add "1", (abs $x)))];
  let vjp = Vjp<(grads (div $g, (square (add "1", (abs $x))))), (saves $x)>;
  let special = [Edge<"-0.0", "-0.0">, Edge<"inf", "nan">];
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"softsign(tensor({-1.f, 3.f}))", "[-0.5, 0.75]">];
}
defvar Scaled = (mul $beta, $x);
def TJ_SoftplusOp : TJ_ScaledActivation<"softplus", "M"> {
  let summary = "log(1 + exp(beta * x)) / beta, x itself where beta * x lies above the threshold.";
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Number<"sharpness", "1.0">:$beta,
                       TJ_Number<"beta * x above which the result is x", "20.0">:$threshold);
  let expr = [(select (gt Scaled, $threshold), $x,
                      (div (add (maximum Scaled, "0"), (log1p (exp (neg (abs Scaled))))), $beta))];
  let vjp = Vjp<(grads (where (gt (mul $x, $beta), $threshold), $g, (mul $g, (sigmoid (mul $x, $beta)))), none, none),
                (saves $x, $beta, $threshold)>;
  let sample = Ranges<"0.5", "4">;
  let examples = [Example<"softplus(tensor({30.f}))", "[30]">];
}
def TJ_LogsigmoidOp : TJ_Activation<"logsigmoid", "M"> {
  let summary = "log(sigmoid(x)): -softplus(-x).";
  let expr = [(neg (select (gt (neg $x), "20"), (neg $x), (add (maximum (neg $x), "0"), (log1p (exp (neg (abs $x)))))))];
  let vjp = Vjp<(grads (mul $g, (sigmoid (neg $x)))), (saves $x)>;
  let special = [Edge<"-30.0", "-30.0">, Edge<"nan", "nan">];
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"logsigmoid(tensor({-30.f}))", "[-30]">];
}
defvar Soft = (select (gt $x, "20"), $x, (add (maximum $x, "0"), (log1p (exp (neg (abs $x))))));
def TJ_MishOp : TJ_Activation<"mish", "M"> {
  let summary = "x * tanh(softplus(x)).";
  let expr = [(mul $x, (tanh Soft))];
  let vjp = Vjp<(grads (mul $g, (add (tanh (softplus $x)), (mul (mul $x, (sigmoid $x)), (sub "1", (square (tanh (softplus $x)))))))),
                (saves $x)>;
  let special = [Edge<"0.0", "0.0">, Edge<"inf", "inf">, Edge<"nan", "nan">];
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"mish(tensor({0.f}))", "[0]">];
}
defvar Ramp = (minimum (maximum (add $x, "3"), "0"), "6");
def TJ_HardsigmoidOp : TJ_Activation<"hardsigmoid", "E"> {
  let summary = "x + 3 between 0 and 6, over 6.";
  let expr = [(div Ramp, "6")];
  let vjp = Vjp<(grads (where (logical_and (ge (add $x, "3"), "0"), (le (add $x, "3"), "6")), (div $g, "6"), "0")), (saves $x)>;
  let special = [Edge<"-inf", "0.0">, Edge<"inf", "1.0">, Edge<"nan", "nan">, Edge<"0.0", "0.5">];
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"hardsigmoid(tensor({-4.f, 0.f, 4.f}))", "[0, 0.5, 1]">];
}
def TJ_HardswishOp : TJ_Activation<"hardswish", "E"> {
  let summary = "x times x + 3 between 0 and 6, over 6.";
  let expr = [(div (mul $x, Ramp), "6")];
  let vjp = Vjp<(grads (div (mul $g, (add (clamp (add $x, "3"), "0", "6"),
                                          (where (logical_and (ge (add $x, "3"), "0"), (le (add $x, "3"), "6")), $x, "0"))), "6")),
                (saves $x)>;
  let special = [Edge<"3.0", "3.0">, Edge<"nan", "nan">];
  let sample = Ranges<"-2.9", "2.9">;
  let examples = [Example<"hardswish(tensor({0.f, 4.f}))", "[0, 4]">];
}
def TJ_ThresholdOp : TJ_Pointwise<"threshold", "E"> {
  let summary = "value where x <= threshold, else x; NaN passes.";
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Number<"highest x that is replaced">:$threshold,
                       TJ_Number<"what replaces it">:$value);
  let inPlace = 1;
  let dtypes = Numeric;
  let promote = Together;
  let expr = [(select (le $x, $threshold), $value, $x)];
  let vjp = Vjp<(grads (where (le $x, $threshold), "0", $g), none, none), (saves $x, $threshold)>;
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"threshold(tensor({-1.f, 2.f}), 0, 9)", "[9, 2]">];
}
def TJ_Rrelu : TJ_Composite<"rrelu", "E"> {
  let summary = "leaky_relu with the mean slope: the randomised form outside of training.";
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Float<"smallest slope", "0.125">:$lower,
                       TJ_Float<"largest slope", "1.0 / 3">:$upper);
  let compose = (leaky_relu $x, "(lower + upper) / 2");
  let sample = Calls<["rrelu(f32({7}))"]>;
  let examples = [Example<"rrelu(tensor({-4.f, 2.f}), 0.25, 0.75)", "[-2, 2]">];
}
def TJ_Prelu : TJ_Composite<"prelu", "E"> {
  let summary = "x where x > 0, else weight * x, with one weight for all or one a channel (dim 1).";
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Tensor<"[1] or [channels]">:$weight);
  let errors = "`shape_error` for another number of weights.";
  let sample = Calls<["prelu(f32({2, 3, 4}), f32({3}))", "prelu(f32({5}), f32({1}))"]>;
  let examples = [Example<"prelu(tensor({-4.f, 2.f}), tensor({0.5f}))", "[-2, 2]">];
}
