#pragma once
#include "tensorjit/optim/optimizer.h"

namespace tensorjit::optim {

class SGDOptions : public OptimizerOptions {
public:
  SGDOptions(double lr) : lr_(lr) {}
  TENSORJIT_OPTION(double, lr, 0);
  TENSORJIT_OPTION(double, momentum, 0.0);
  TENSORJIT_OPTION(double, dampening, 0.0);
  TENSORJIT_OPTION(double, weight_decay, 0.0);
  TENSORJIT_OPTION(bool, nesterov, false);

public:
  std::unique_ptr<OptimizerOptions> clone() const override { return std::make_unique<SGDOptions>(*this); }
  double get_lr() const override { return lr_; }
  void set_lr(double lr) override { lr_ = lr; }
  void visit(const std::function<void(const char *, double &)> &visitor) override;
  void check() const override;
};

/// Stochastic gradient descent with momentum, as torch's (Sutskever et al., 2013, in torch's form): g += wd p;
/// buf = first ? g : momentum buf + (1 - dampening) g; p -= lr (nesterov ? g + momentum buf : buf).
class SGD : public Optimizer {
public:
  /// Throws `value_error` for a negative lr, momentum or weight decay, or nesterov without momentum or with dampening.
  SGD(std::vector<Tensor> params, const SGDOptions &defaults) : SGD(detail::oneGroup(std::move(params)), defaults) {}
  SGD(std::vector<OptimizerParamGroup> groups, const SGDOptions &defaults)
      : Optimizer(std::move(groups), defaults.clone(), {"momentum_buffer"}) {}

private:
  void update(Tensor &param, const OptimizerOptions &options, State &state) override;
};

} // namespace tensorjit::optim
