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
