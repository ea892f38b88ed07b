include "Record.td"

class TJ_Update<string mnemonic> : TJ_Op<mnemonic, "Optimizer", "E"> {
  let functions = [];
  let method = 0;
  let dtypes = Floating;
  let promote = LikeFirst;
  let infer = "update";
  let vjp = NoVjp<"an optimizer step is not differentiated">;
  let errors = "`shape_error` where the gradient or state has other sizes than the parameter.";
}

def TJ_SgdOp : TJ_Update<"sgd"> {
  let summary = "Gradient descent: param - lr * (grad + weight_decay * param).";
  let arguments = (ins TJ_Tensor<"parameter">:$param, TJ_Tensor<"its gradient">:$grad, TJ_Number<"learning rate">:$lr,
                       TJ_Number<"weight decay">:$weight_decay);
  let results = (outs TJ_Result<"new parameter">:$new_param);
  let updates = ["param"];
  let expr = [(sub $param, (mul $lr, (add $grad, (mul $weight_decay, $param))))];
  let sample = Calls<["Tensor p = f32({5}); sgd_(p, f32({5}), 0.1, 0.01); p"]>;
  let examples = [Example<"Tensor p = ones({1}); sgd_(p, ones({1}), 0.25, 0.0); p", "[0.75]">];
}
class TJ_Momentum<string mnemonic> : TJ_Update<mnemonic> {
  let arguments = (ins TJ_Tensor<"parameter">:$param, TJ_Tensor<"its gradient">:$grad, TJ_Tensor<"momentum buffer">:$buffer,
                       TJ_Number<"learning rate">:$lr, TJ_Number<"momentum">:$momentum, TJ_Number<"dampening">:$dampening,
                       TJ_Number<"weight decay">:$weight_decay, TJ_Flag<"the first step: the buffer becomes the gradient">:$first);
  let results = (outs TJ_Result<"new parameter">:$new_param, TJ_Result<"new momentum buffer">:$new_buffer);
  let updates = ["param", "buffer"];
}
defvar DecayedGrad = (add $grad, (mul $weight_decay, $param));
defvar NewBuffer = (select $first, DecayedGrad, (add (mul $momentum, $buffer), (mul (sub "1", $dampening), DecayedGrad)));
def TJ_SgdMomentumOp : TJ_Momentum<"sgd_momentum"> {
  let summary = "Gradient descent with momentum: buffer' = momentum * buffer + (1 - dampening) * g, param' = param - lr * buffer', g = grad + weight_decay * param.";
  let expr = [(sub $param, (mul $lr, NewBuffer)), NewBuffer];
  let sample = Calls<["Tensor p = f32({5}); sgd_momentum_(p, f32({5}), f32({5}), 0.1, 0.9, 0.0, 0.01, false); p"]>;
  let examples = [Example<"Tensor p = ones({1}); sgd_momentum_(p, ones({1}), zeros({1}), 0.25, 0.9, 0.0, 0.0, true); p", "[0.75]">];
}
def TJ_SgdNesterovOp : TJ_Momentum<"sgd_nesterov"> {
  let summary = "As sgd_momentum, but the step is lr * (g + momentum * buffer').";
  let expr = [(sub $param, (mul $lr, (add DecayedGrad, (mul $momentum, NewBuffer)))), NewBuffer];
  let sample = Calls<["Tensor p = f32({5}); sgd_nesterov_(p, f32({5}), f32({5}), 0.1, 0.9, 0.0, 0.01, false); p"]>;
  let examples = [Example<"Tensor p = ones({1}); sgd_nesterov_(p, ones({1}), zeros({1}), 0.25, 0.5, 0.0, 0.0, true); p", "[0.625]">];
}

// What depends on the number t of the step is a number that the caller computes in f64: 1 - beta^t has few digits in f32.
class TJ_AdamStep<string mnemonic> : TJ_Update<mnemonic> {
  let arguments = (ins TJ_Tensor<"parameter">:$param, TJ_Tensor<"its gradient">:$grad,
                       TJ_Tensor<"mean of gradients">:$exp_avg, TJ_Tensor<"mean of squared gradients">:$exp_avg_sq,
                       TJ_Number<"learning rate / (1 - beta1^t)">:$step_size, TJ_Number<"sqrt(1 - beta2^t)">:$sq_correction,
                       TJ_Number<"1 - beta1">:$avg_rate, TJ_Number<"beta2">:$beta2, TJ_Number<"1 - beta2">:$sq_rate,
                       TJ_Number<"added to the root">:$eps, TJ_Number<"see the formula">:$decay);
  let results = (outs TJ_Result<"new parameter">:$new_param, TJ_Result<"new mean of gradients">:$new_exp_avg,
                      TJ_Result<"new mean of squared gradients">:$new_exp_avg_sq);
  let updates = ["param", "exp_avg", "exp_avg_sq"];
}
class AdamDelta<dag avg, dag sq> {
  dag value = (div (mul $step_size, avg), (add (div (sqrt sq), $sq_correction), $eps));
}
defvar L2Grad = (add $grad, (mul $decay, $param));
defvar L2Avg = (add $exp_avg, (mul $avg_rate, (sub L2Grad, $exp_avg)));
defvar L2Sq = (add (mul $beta2, $exp_avg_sq), (mul (mul $sq_rate, L2Grad), L2Grad));
def TJ_AdamOp : TJ_AdamStep<"adam"> {
  let summary = "Adam: g = grad + decay * param; exp_avg' = exp_avg + avg_rate * (g - exp_avg); exp_avg_sq' = beta2 * exp_avg_sq + sq_rate * g * g; param' = param - step_size * exp_avg' / (sqrt(exp_avg_sq') / sq_correction + eps).";
  let expr = [(sub $param, AdamDelta<L2Avg, L2Sq>.value), L2Avg, L2Sq];
  let source = "Kingma and Ba, Adam, 2015, algorithm 1";
  let sample = Calls<["Tensor p = f32({5}); adam_(p, f32({5}), f32({5}), square(f32({5})), 0.1, 0.5, 0.1, 0.9, 0.1, 1e-8, 0.01); p"]>;
  let examples = [Example<"Tensor p = ones({1}); adam_(p, ones({1}), zeros({1}), zeros({1}), 0.5, 0.5, 0.5, 0.75, 0.25, 0.0, 0.0); p", "[0.75]">];
}
defvar PlainAvg = (add $exp_avg, (mul $avg_rate, (sub $grad, $exp_avg)));
defvar PlainSq = (add (mul $beta2, $exp_avg_sq), (mul (mul $sq_rate, $grad), $grad));
def TJ_AdamWOp : TJ_AdamStep<"adamw"> {
  let summary = "As adam, but with g = grad and param' = decay * param - ...: decay is 1 - learning rate * weight decay.";
  let expr = [(sub (mul $decay, $param), AdamDelta<PlainAvg, PlainSq>.value), PlainAvg, PlainSq];
  let source = "Loshchilov and Hutter, Decoupled weight decay regularization, 2019, algorithm 2";
  let sample = Calls<["Tensor p = f32({5}); adamw_(p, f32({5}), f32({5}), square(f32({5})), 0.1, 0.5, 0.1, 0.9, 0.1, 1e-8, 0.99); p"]>;
  let examples = [Example<"Tensor p = ones({1}); adamw_(p, ones({1}), zeros({1}), zeros({1}), 0.5, 0.5, 0.5, 0.75, 0.25, 0.0, 0.5); p", "[0.25]">];
}

class TJ_RmspropStep<string mnemonic> : TJ_Update<mnemonic> {
  let wave = 2;
  let source = "Tieleman and Hinton, Lecture 6.5 - RMSProp, COURSERA, 2012";
}
defvar MeanSq = (add (mul $alpha, $square_avg), (mul (mul $sq_rate, DecayedGrad), DecayedGrad));
defvar ScaledGrad = (div DecayedGrad, (add (sqrt MeanSq), $eps));
def TJ_RmspropOp : TJ_RmspropStep<"rmsprop"> {
  let summary = "RMSprop: square_avg' = alpha * square_avg + sq_rate * g * g; param' = param - lr * g / (sqrt(square_avg') + eps), g = grad + weight_decay * param.";
  let arguments = (ins TJ_Tensor<"parameter">:$param, TJ_Tensor<"its gradient">:$grad,
                       TJ_Tensor<"mean of squared gradients">:$square_avg, TJ_Number<"learning rate">:$lr,
                       TJ_Number<"decay of the mean">:$alpha, TJ_Number<"1 - alpha">:$sq_rate,
                       TJ_Number<"added to the root">:$eps, TJ_Number<"weight decay">:$weight_decay);
  let results = (outs TJ_Result<"new parameter">:$new_param, TJ_Result<"new mean of squared gradients">:$new_square_avg);
  let updates = ["param", "square_avg"];
  let expr = [(sub $param, (mul $lr, ScaledGrad)), MeanSq];
  let sample = Calls<["Tensor p = f32({5}); rmsprop_(p, f32({5}), square(f32({5})), 0.1, 0.9, 0.1, 1e-8, 0.01); p"]>;
  let examples = [Example<"Tensor p = ones({1}); rmsprop_(p, ones({1}), zeros({1}), 0.25, 0.75, 0.25, 0.0, 0.0); p", "[0.5]">];
}
defvar NewVelocity = (add (mul $momentum, $buffer), ScaledGrad);
def TJ_RmspropMomentumOp : TJ_RmspropStep<"rmsprop_momentum"> {
  let summary = "As rmsprop, but buffer' = momentum * buffer + g / (sqrt(square_avg') + eps) and param' = param - lr * buffer'.";
  let arguments = (ins TJ_Tensor<"parameter">:$param, TJ_Tensor<"its gradient">:$grad,
                       TJ_Tensor<"mean of squared gradients">:$square_avg, TJ_Tensor<"momentum buffer">:$buffer,
                       TJ_Number<"learning rate">:$lr, TJ_Number<"decay of the mean">:$alpha, TJ_Number<"1 - alpha">:$sq_rate,
                       TJ_Number<"added to the root">:$eps, TJ_Number<"weight decay">:$weight_decay, TJ_Number<"momentum">:$momentum);
  let results = (outs TJ_Result<"new parameter">:$new_param, TJ_Result<"new mean of squared gradients">:$new_square_avg,
                      TJ_Result<"new momentum buffer">:$new_buffer);
  let updates = ["param", "square_avg", "buffer"];
  let expr = [(sub $param, (mul $lr, NewVelocity)), MeanSq, NewVelocity];
  let sample = Calls<["Tensor p = f32({5}); rmsprop_momentum_(p, f32({5}), square(f32({5})), f32({5}), 0.1, 0.9, 0.1, 1e-8, 0.01, 0.9); p"]>;
  let examples = [Example<"Tensor p = ones({1}); rmsprop_momentum_(p, ones({1}), zeros({1}), ones({1}), 0.25, 0.75, 0.25, 0.0, 0.0, 0.5); p", "[0.375]">];
}
