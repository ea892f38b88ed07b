include "Record.td"

// Made of other ops. Rows are centred on their first element before the mean is taken, so that a constant row has
// variance 0 and centred values 0 exactly.
class TJ_Norm<string mnemonic> : TJ_Composite<mnemonic, "T"> {
  let method = 0;
}
def TJ_LayerNorm : TJ_Norm<"layer_norm"> {
  let summary = "(x - mean) / sqrt(var + eps) * weight + bias over the last dims.";
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Ints<"sizes of the dims that are normalised: the last of x">:$normalized_shape,
                       TJ_OptionalTensor<"of normalized_shape">:$weight, TJ_OptionalTensor<"of normalized_shape">:$bias,
                       TJ_Float<"added to the variance", "1e-5">:$eps);
  let errors = "`shape_error` where x does not end in normalized_shape, `type_error` for integers.";
  let sample = Calls<["layer_norm(f32({3, 5}), {5}, f32({5}), f32({5}))", "layer_norm(f32({2, 3, 4}), {3, 4})"]>;
  let examples = [Example<"layer_norm(full({1, 3}, 7.0), {3})", "[[0, 0, 0]]">];
}
def TJ_RmsNorm : TJ_Norm<"rms_norm"> {
  let summary = "x / sqrt(mean(x * x) + eps) * weight over the last dims.";
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Ints<"sizes of the dims that are normalised: the last of x">:$normalized_shape,
                       TJ_OptionalTensor<"of normalized_shape">:$weight,
                       TJ_Float<"added to the mean square; negative: the machine epsilon of the dtype", "-1">:$eps);
  let errors = "`shape_error` where x does not end in normalized_shape, `type_error` for integers.";
  let sample = Calls<["rms_norm(f32({3, 5}), {5}, f32({5}))"]>;
  let examples = [Example<"rms_norm(full({1, 3}, 2.0), {3}, {}, 0.0)", "[[1, 1, 1]]">];
}
def TJ_GroupNorm : TJ_Norm<"group_norm"> {
  let summary = "Normalises groups of channels of each image, then scales and shifts each channel.";
  let arguments = (ins TJ_Tensor<"[n x channels x ...]">:$x, TJ_Int<"groups; divides the channels">:$num_groups,
                       TJ_OptionalTensor<"[channels]">:$weight, TJ_OptionalTensor<"[channels]">:$bias,
                       TJ_Float<"added to the variance", "1e-5">:$eps);
  let errors = "`shape_error` where the groups do not divide the channels, `type_error` for integers.";
  let sample = Calls<["group_norm(f32({2, 4, 3}), 2, f32({4}), f32({4}))"]>;
  let examples = [Example<"group_norm(full({1, 2, 2}, 7.0), 1)", "[[[0, 0], [0, 0]]]">];
}
def TJ_BatchNorm : TJ_Norm<"batch_norm_train"> {
  let summary = "Normalises each channel over batch and space; also the batch's mean and biased variance.";
  let arguments = (ins TJ_Tensor<"[n x channels x ...]">:$x, TJ_OptionalTensor<"[channels]">:$weight,
                       TJ_OptionalTensor<"[channels]">:$bias, TJ_Float<"added to the variance", "1e-5">:$eps);
  let results = (outs TJ_Result<"sizes of x">:$y, TJ_Result<"[channels]">:$mean, TJ_Result<"[channels]">:$var);
  let errors = "`shape_error` for one value a channel, `type_error` for integers.";
  let sample = Calls<["std::get<0>(batch_norm_train(f32({3, 4, 2}), f32({4}), f32({4})))"]>;
  let examples = [Example<"std::get<0>(batch_norm_train(full({2, 1}, 7.0)))", "[[0], [0]]">];
}
def TJ_InstanceNorm : TJ_Norm<"instance_norm"> {
  let summary = "Normalises each channel of each image over space, then scales and shifts each channel.";
  let arguments = (ins TJ_Tensor<"[n x channels x space]">:$x, TJ_OptionalTensor<"[channels]">:$weight,
                       TJ_OptionalTensor<"[channels]">:$bias, TJ_Float<"added to the variance", "1e-5">:$eps);
  let errors = "`shape_error` without dims of space or for one value a channel, `type_error` for integers.";
  let sample = Calls<["instance_norm(f32({2, 3, 4, 2}), f32({3}), f32({3}))"]>;
  let examples = [Example<"instance_norm(full({1, 2, 2}, 7.0))", "[[[0, 0], [0, 0]]]">];
}
