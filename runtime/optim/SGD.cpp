#include "tensorjit/creation.h"
#include "tensorjit/ops.h"
#include "tensorjit/optim.h"

namespace tensorjit::optim {

static void check(const SGDOptions &o) {
  if (o.lr() < 0) throw value_error("SGD: the learning rate is negative: " + std::to_string(o.lr()));
  if (o.momentum() < 0) throw value_error("SGD: the momentum is negative: " + std::to_string(o.momentum()));
  if (o.weight_decay() < 0) throw value_error("SGD: the weight decay is negative: " + std::to_string(o.weight_decay()));
  if (o.nesterov() && (o.momentum() == 0 || o.dampening() != 0))
    throw value_error("SGD: nesterov needs a momentum and no dampening");
}

SGD::SGD(std::vector<Tensor> params, const SGDOptions &defaults)
    : SGD(
          [&] {
            std::vector<OptimizerParamGroup> groups;
            groups.emplace_back(std::move(params));
            return groups;
          }(),
          defaults) {}

SGD::SGD(std::vector<OptimizerParamGroup> groups, const SGDOptions &defaults)
    : Optimizer(std::move(groups), defaults.clone()) {
  for (OptimizerParamGroup &g : groups_) {
    check(static_cast<const SGDOptions &>(g.options()));
    auto &states = state_.emplace_back();
    for (const Tensor &p : g.params()) states.push_back({zeros_like(p)});
  }
}

void SGD::update(size_t group, size_t index) {
  const auto &o = static_cast<const SGDOptions &>(groups_[group].options());
  Tensor p = groups_[group].params()[index];
  State &s = state_[group][index];
  if (o.momentum() == 0) return sgd_(p, p.grad(), o.lr(), o.weight_decay());
  auto step = o.nesterov() ? sgd_nesterov_ : sgd_momentum_;
  step(p, p.grad(), s.buffer, o.lr(), o.momentum(), o.dampening(), o.weight_decay(), s.first,
       SourceLocation::current());
  s.first = false;
}

} // namespace tensorjit::optim
