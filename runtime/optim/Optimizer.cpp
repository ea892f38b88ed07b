#include "tensorjit/optim/optimizer.h"
#include "core/Dispatch.h"
#include "core/StateDict.h"
#include "tensorjit/autograd.h"
#include "tensorjit/creation.h"

#include <algorithm>
#include <typeinfo>

namespace tensorjit::optim {

Optimizer::Optimizer(std::vector<OptimizerParamGroup> groups, std::unique_ptr<OptimizerOptions> defaults,
                     std::vector<std::string> stateNames)
    : defaults_(std::move(defaults)), stateNames_(std::move(stateNames)) {
  defaults_->check();
  size_t count = 0;
  for (OptimizerParamGroup &g : groups) {
    count += g.params().size();
    addGroup(std::move(g));
  }
  if (count == 0) throw value_error("optimizer: there are no parameters to update");
}

void Optimizer::add_param_group(OptimizerParamGroup group) { addGroup(std::move(group)); }

void Optimizer::addGroup(OptimizerParamGroup group) {
  if (!group.options_) group.options_ = defaults_->clone();
  const OptimizerOptions &given = *group.options_, &expected = *defaults_;
  if (typeid(given) != typeid(expected))
    throw value_error("optimizer: the options of a parameter group are those of another optimizer");
  given.check();
  std::vector<State> states;
  for (size_t i = 0; i < group.params_.size(); ++i) {
    const Tensor &p = group.params_[i];
    if (!p.is_leaf()) throw value_error("optimizer: a parameter is the result of an op; only leaves can be updated");
    auto isSame = [&](const Tensor &other) { return other.is_same(p); };
    bool seen = std::any_of(group.params_.begin(), group.params_.begin() + static_cast<ptrdiff_t>(i), isSame);
    for (const OptimizerParamGroup &g : groups_) seen |= std::any_of(g.params_.begin(), g.params_.end(), isSame);
    if (seen) throw value_error("optimizer: a parameter of sizes " + p.sizes().str() + " is given twice");
    State &state = states.emplace_back();
    for (size_t k = 0; k < stateNames_.size(); ++k) state.tensors.push_back(zeros_like(p, computeType(p.dtype())));
  }
  groups_.push_back(std::move(group));
  states_.push_back(std::move(states));
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
    for (size_t i = 0; i < groups_[g].params_.size(); ++i) {
      Tensor &p = groups_[g].params_[i];
      if (!p.grad().defined()) continue;
      update(p, *groups_[g].options_, states_[g][i]);
      ++states_[g][i].step;
    }
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

OrderedDict<Tensor> Optimizer::state_dict() const {
  OrderedDict<Tensor> dict;
  size_t number = 0;
  for (const auto &states : states_)
    for (const State &s : states) {
      const std::string prefix = "state." + std::to_string(number++) + ".";
      dict.insert(prefix + "step", tensor(s.step));
      for (size_t k = 0; k < stateNames_.size(); ++k) dict.insert(prefix + stateNames_[k], s.tensors[k].detach());
    }
  for (size_t g = 0; g < groups_.size(); ++g)
    groups_[g].options().clone()->visit([&](const char *name, double &value) {
      dict.insert("groups." + std::to_string(g) + "." + name, tensor(value, kFloat64));
    });
  return dict;
}

void Optimizer::load_state_dict(const OrderedDict<Tensor> &from, SourceLocation loc) {
  const dispatch::CallScope scope(loc);
  OrderedDict<Tensor> own = state_dict();
  requireSameEntries("optimizer", own, from, loc);
  std::vector<std::unique_ptr<OptimizerOptions>> options;
  for (size_t g = 0; g < groups_.size(); ++g) {
    options.push_back(groups_[g].options().clone());
    options.back()->visit([&](const char *name, double &value) {
      value = from.find("groups." + std::to_string(g) + "." + name)->item<double>(loc);
    });
    options.back()->check();
  }
  copyEntries(own, from);
  size_t number = 0;
  for (auto &states : states_)
    for (State &s : states) s.step = from.find("state." + std::to_string(number++) + ".step")->item<int64_t>(loc);
  for (size_t g = 0; g < groups_.size(); ++g) groups_[g].options_ = std::move(options[g]);
}

} // namespace tensorjit::optim
