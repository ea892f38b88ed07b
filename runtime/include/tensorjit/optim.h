#pragma once
#include "tensorjit/nn/options.h"
#include "tensorjit/tensor.h"

#include <functional>
#include <memory>

namespace tensorjit::optim {

class OptimizerOptions {
public:
  virtual ~OptimizerOptions() = default;
  virtual std::unique_ptr<OptimizerOptions> clone() const = 0;
  virtual double get_lr() const = 0;
  virtual void set_lr(double lr) = 0;
};

/// Parameters that share their options.
class OptimizerParamGroup {
public:
  OptimizerParamGroup(std::vector<Tensor> params) : params_(std::move(params)) {}
  OptimizerParamGroup(std::vector<Tensor> params, std::unique_ptr<OptimizerOptions> options)
      : params_(std::move(params)), options_(std::move(options)) {}
  const std::vector<Tensor> &params() const { return params_; }
  bool has_options() const { return options_ != nullptr; }
  OptimizerOptions &options() { return *options_; }
  const OptimizerOptions &options() const { return *options_; }

private:
  friend class Optimizer;
  std::vector<Tensor> params_;
  std::unique_ptr<OptimizerOptions> options_;
};

/// Base of the optimizers. Numbers in the options may change between steps; a compiled step takes them as arguments.
class Optimizer {
public:
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer &) = delete;
  /// Updates every parameter that has a gradient. With a closure, which computes loss and gradients, calls it first
  /// and returns its loss.
  Tensor step(const std::function<Tensor()> &closure = nullptr, SourceLocation loc = SourceLocation::current());
  /// Clears the gradients; without `set_to_none` they become zeros.
  void zero_grad(bool set_to_none = true);
  std::vector<OptimizerParamGroup> &param_groups() { return groups_; }

protected:
  /// Throws `value_error` for no parameters or a parameter that is not a leaf.
  Optimizer(std::vector<OptimizerParamGroup> groups, std::unique_ptr<OptimizerOptions> defaults);
  /// Updates parameter `index` of group `group`, which has a gradient; recording is on, the tape off.
  virtual void update(size_t group, size_t index) = 0;
  std::vector<OptimizerParamGroup> groups_;
};

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
};

/// Stochastic gradient descent with momentum, as torch's (Sutskever et al., 2013, in torch's form): g += wd p;
/// buf = first ? g : momentum buf + (1 - dampening) g; p -= lr (nesterov ? g + momentum buf : buf).
class SGD : public Optimizer {
public:
  /// Throws `value_error` for a negative lr, momentum or weight decay, or nesterov without momentum or with dampening.
  SGD(std::vector<Tensor> params, const SGDOptions &defaults);
  SGD(std::vector<OptimizerParamGroup> groups, const SGDOptions &defaults);

private:
  void update(size_t group, size_t index) override;
  struct State {
    Tensor buffer;     ///< there from the start, so that the first step is like all others
    bool first = true; ///< no gradient has been seen yet
  };
  std::vector<std::vector<State>> state_;
};

} // namespace tensorjit::optim
