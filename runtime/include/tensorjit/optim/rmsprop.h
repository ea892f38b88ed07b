#pragma once
#include "tensorjit/optim/optimizer.h"

namespace tensorjit::optim {

class RMSpropOptions : public OptimizerOptions {
public:
  RMSpropOptions(double lr = 1e-2) : lr_(lr) {}
  TENSORJIT_OPTION(double, lr, 1e-2);
  TENSORJIT_OPTION(double, alpha, 0.99); ///< decay of the mean of squared gradients
  TENSORJIT_OPTION(double, eps, 1e-8);
  TENSORJIT_OPTION(double, weight_decay, 0.0); ///< added to the gradient, times the parameter
  TENSORJIT_OPTION(double, momentum, 0.0);

public:
  std::unique_ptr<OptimizerOptions> clone() const override { return std::make_unique<RMSpropOptions>(*this); }
  double get_lr() const override { return lr_; }
  void set_lr(double lr) override { lr_ = lr; }
  void visit(const std::function<void(const char *, double &)> &visitor) override;
  void check() const override;
};

/// RMSprop (Tieleman and Hinton, lecture 6.5 of "Neural networks for machine learning", 2012) as torch has it, not
/// centred: g += wd p; v = alpha v + (1 - alpha) g g; buf = momentum buf + g / (sqrt(v) + eps); p -= lr buf.
class RMSprop : public Optimizer {
public:
  /// Throws `value_error` for a negative number among the options.
  RMSprop(std::vector<Tensor> params, const RMSpropOptions &defaults = {})
      : RMSprop(detail::oneGroup(std::move(params)), defaults) {}
  RMSprop(std::vector<OptimizerParamGroup> groups, const RMSpropOptions &defaults = {})
      : Optimizer(std::move(groups), defaults.clone(), {"square_avg", "momentum_buffer"}) {}

private:
  void update(Tensor &param, const OptimizerOptions &options, State &state) override;
};

} // namespace tensorjit::optim
