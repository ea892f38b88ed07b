#include "core/Dispatch.h"
#include "tensorjit/autograd.h"
#include "tensorjit/optim.h"

namespace tensorjit::optim {

Optimizer::Optimizer(std::vector<OptimizerParamGroup> groups, std::unique_ptr<OptimizerOptions> defaults)
    : groups_(std::move(groups)) {
  size_t count = 0;
  for (OptimizerParamGroup &g : groups_) {
    if (!g.options_) g.options_ = defaults->clone();
    for (const Tensor &p : g.params_) {
      if (!p.is_leaf()) throw value_error("optimizer: a parameter is the result of an op; only leaves can be updated");
      ++count;
    }
  }
  if (count == 0) throw value_error("optimizer: there are no parameters to update");
}

Tensor Optimizer::step(const std::function<Tensor()> &closure, SourceLocation loc) {
  const dispatch::CallScope scope(loc);
  Tensor loss;
  if (closure) {
    AutoGradMode on(true);
    loss = closure();
  }
  NoGradGuard guard;
  for (size_t g = 0; g < groups_.size(); ++g)
    for (size_t i = 0; i < groups_[g].params_.size(); ++i)
      if (groups_[g].params_[i].grad().defined()) update(g, i);
  return loss;
}

void Optimizer::zero_grad(bool setToNone) {
  NoGradGuard guard;
  for (OptimizerParamGroup &g : groups_)
    for (Tensor &p : g.params_) {
      if (!p.grad().defined()) continue;
      if (setToNone) p.mutable_grad() = {};
      else p.mutable_grad().detach_().zero_();
    }
}

} // namespace tensorjit::optim
