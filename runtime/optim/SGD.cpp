#include "tensorjit/optim/sgd.h"
#include "optim/Check.h"
#include "tensorjit/ops.h"

namespace tensorjit::optim {

void SGDOptions::visit(const std::function<void(const char *, double &)> &visitor) {
  visitor("lr", lr_);
  visitor("momentum", momentum_);
  visitor("dampening", dampening_);
  visitor("weight_decay", weight_decay_);
  double nesterov = nesterov_;
  visitor("nesterov", nesterov);
  nesterov_ = nesterov != 0;
}

void SGDOptions::check() const {
  requireNotNegative("SGD", "learning rate", lr_);
  requireNotNegative("SGD", "momentum", momentum_);
  requireNotNegative("SGD", "weight decay", weight_decay_);
  if (nesterov_ && (momentum_ == 0 || dampening_ != 0))
    throw value_error("SGD: nesterov needs a momentum and no dampening");
}

void SGD::update(Tensor &param, const OptimizerOptions &options, State &state) {
  const auto &o = static_cast<const SGDOptions &>(options);
  if (o.momentum() == 0) return sgd_(param, param.grad(), o.lr(), o.weight_decay());
  auto step = o.nesterov() ? sgd_nesterov_ : sgd_momentum_;
  step(param, param.grad(), state.tensors[0], o.lr(), o.momentum(), o.dampening(), o.weight_decay(), state.step == 0,
       SourceLocation::current());
}

} // namespace tensorjit::optim
