#include "core/Dispatch.h"
#include "nn/ResetUniform.h"
#include "tensorjit/creation.h"
#include "tensorjit/grad_mode.h"
#include "tensorjit/nn.h"
#include "tensorjit/ops.h"

namespace tensorjit::nn {

using dispatch::CallScope;
namespace F = functional;

LinearImpl::LinearImpl(const LinearOptions &o) : options(o) {
  weight = register_parameter("weight", empty({o.out_features(), o.in_features()}));
  bias = register_parameter("bias", o.bias() ? empty({o.out_features()}) : Tensor());
  reset_parameters();
}
void LinearImpl::reset_parameters() { resetUniform(weight, bias); }
Tensor LinearImpl::forward(const Tensor &x, SourceLocation loc) { return tensorjit::linear(x, weight, bias, loc); }

EmbeddingImpl::EmbeddingImpl(const EmbeddingOptions &o) : options(o) {
  if (const auto row = o.padding_idx()) {
    const int64_t rows = o.num_embeddings();
    if (*row < -rows || *row >= rows)
      throw value_error("Embedding: padding_idx " + std::to_string(*row) + " is none of " + std::to_string(rows) +
                        " rows");
    if (*row < 0) options.padding_idx(*row + rows);
  }
  weight = register_parameter("weight", empty({o.num_embeddings(), o.embedding_dim()}));
  reset_parameters();
}
void EmbeddingImpl::reset_parameters() {
  const NoGradGuard guard;
  init::normal_(weight);
  if (const auto row = options.padding_idx()) weight.select(0, *row).zero_();
}
Tensor EmbeddingImpl::forward(const Tensor &index, SourceLocation loc) {
  return tensorjit::embedding(weight, index, options.padding_idx().value_or(-1), loc);
}

InstanceNormImpl::InstanceNormImpl(const InstanceNormOptions &o) : options(o) {
  weight = register_parameter("weight", o.affine() ? ones({o.num_features()}) : Tensor());
  bias = register_parameter("bias", o.affine() ? zeros({o.num_features()}) : Tensor());
}
Tensor InstanceNormImpl::forward(const Tensor &x, SourceLocation loc) {
  return tensorjit::instance_norm(x, weight, bias, options.eps(), loc);
}

Tensor FlattenImpl::forward(const Tensor &x, SourceLocation loc) {
  return tensorjit::flatten(x, options.start_dim(), options.end_dim(), loc);
}
Tensor ReLUImpl::forward(const Tensor &x, SourceLocation loc) { return tensorjit::relu(x, loc); }
Tensor SigmoidImpl::forward(const Tensor &x, SourceLocation loc) { return tensorjit::sigmoid(x, loc); }
Tensor TanhImpl::forward(const Tensor &x, SourceLocation loc) { return tensorjit::tanh(x, loc); }
Tensor GELUImpl::forward(const Tensor &x, SourceLocation loc) { return F::gelu(x, options, loc); }
Tensor DropoutImpl::forward(const Tensor &x, SourceLocation loc) {
  return F::dropout(x, F::DropoutFuncOptions().p(options.p()).training(is_training()), loc);
}

Tensor SequentialImpl::forward(const Tensor &x, SourceLocation loc) {
  const CallScope scope(loc);
  Tensor h = x;
  for (const Stage &s : stages_) h = s.forward(*s.module, h, loc);
  return h;
}

} // namespace tensorjit::nn
