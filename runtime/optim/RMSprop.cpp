#include "tensorjit/optim/rmsprop.h"
#include "optim/Check.h"
#include "tensorjit/ops.h"

namespace tensorjit::optim {

void RMSpropOptions::visit(const std::function<void(const char *, double &)> &visitor) {
  visitor("lr", lr_);
  visitor("alpha", alpha_);
  visitor("eps", eps_);
  visitor("weight_decay", weight_decay_);
  visitor("momentum", momentum_);
}

void RMSpropOptions::check() const {
  requireNotNegative("RMSprop", "learning rate", lr_);
  requireNotNegative("RMSprop", "alpha", alpha_);
  requireNotNegative("RMSprop", "eps", eps_);
  requireNotNegative("RMSprop", "weight decay", weight_decay_);
  requireNotNegative("RMSprop", "momentum", momentum_);
}

void RMSprop::update(Tensor &param, const OptimizerOptions &options, State &state) {
  const auto &o = static_cast<const RMSpropOptions &>(options);
  if (o.momentum() == 0)
    return rmsprop_(param, param.grad(), state.tensors[0], o.lr(), o.alpha(), 1 - o.alpha(), o.eps(), o.weight_decay());
  rmsprop_momentum_(param, param.grad(), state.tensors[0], state.tensors[1], o.lr(), o.alpha(), 1 - o.alpha(), o.eps(),
                    o.weight_decay(), o.momentum());
}

} // namespace tensorjit::optim
