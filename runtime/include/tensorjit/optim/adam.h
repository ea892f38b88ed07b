#pragma once
#include "tensorjit/optim/optimizer.h"

#include <tuple>

namespace tensorjit::optim {

class AdamOptions : public OptimizerOptions {
public:
  AdamOptions(double lr = 1e-3) : lr_(lr) {}
  using Betas = std::tuple<double, double>;
  TENSORJIT_OPTION(double, lr, 1e-3);
  TENSORJIT_OPTION(Betas, betas, Betas(0.9, 0.999)); ///< decay of the means of gradients and of their squares
  TENSORJIT_OPTION(double, eps, 1e-8);
  TENSORJIT_OPTION(double, weight_decay, 0.0); ///< added to the gradient, times the parameter

public:
  std::unique_ptr<OptimizerOptions> clone() const override { return std::make_unique<AdamOptions>(*this); }
  double get_lr() const override { return lr_; }
  void set_lr(double lr) override { lr_ = lr; }
  void visit(const std::function<void(const char *, double &)> &visitor) override;
  void check() const override;
};

/// Adam (Kingma and Ba, "Adam: a method for stochastic optimization", 2015, algorithm 1): for step t, with
/// g += wd p; m += (1 - b1)(g - m); v = b2 v + (1 - b2) g g:
/// p -= lr / (1 - b1^t) * m / (sqrt(v) / sqrt(1 - b2^t) + eps).
class Adam : public Optimizer {
public:
  /// Throws `value_error` for a negative lr, eps or weight decay, or a beta outside [0, 1).
  Adam(std::vector<Tensor> params, const AdamOptions &defaults = {})
      : Adam(detail::oneGroup(std::move(params)), defaults) {}
  Adam(std::vector<OptimizerParamGroup> groups, const AdamOptions &defaults = {})
      : Optimizer(std::move(groups), defaults.clone(), {"exp_avg", "exp_avg_sq"}) {}

private:
  void update(Tensor &param, const OptimizerOptions &options, State &state) override;
};

class AdamWOptions : public OptimizerOptions {
public:
  AdamWOptions(double lr = 1e-3) : lr_(lr) {}
  using Betas = std::tuple<double, double>;
  TENSORJIT_OPTION(double, lr, 1e-3);
  TENSORJIT_OPTION(Betas, betas, Betas(0.9, 0.999));
  TENSORJIT_OPTION(double, eps, 1e-8);
  TENSORJIT_OPTION(double, weight_decay, 1e-2); ///< the parameter is multiplied by 1 - lr wd in each step

public:
  std::unique_ptr<OptimizerOptions> clone() const override { return std::make_unique<AdamWOptions>(*this); }
  double get_lr() const override { return lr_; }
  void set_lr(double lr) override { lr_ = lr; }
  void visit(const std::function<void(const char *, double &)> &visitor) override;
  void check() const override;
};

/// AdamW (Loshchilov and Hutter, "Decoupled weight decay regularization", 2019): p *= 1 - lr wd, then a step of Adam
/// without weight decay.
class AdamW : public Optimizer {
public:
  /// Throws `value_error` as Adam does.
  AdamW(std::vector<Tensor> params, const AdamWOptions &defaults = {})
      : AdamW(detail::oneGroup(std::move(params)), defaults) {}
  AdamW(std::vector<OptimizerParamGroup> groups, const AdamWOptions &defaults = {})
      : Optimizer(std::move(groups), defaults.clone(), {"exp_avg", "exp_avg_sq"}) {}

private:
  void update(Tensor &param, const OptimizerOptions &options, State &state) override;
};

} // namespace tensorjit::optim
