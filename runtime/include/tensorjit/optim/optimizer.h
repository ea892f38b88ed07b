#pragma once
#include "tensorjit/nn/options.h"
#include "tensorjit/ordered_dict.h"
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
  /// Calls `visitor` with every number of the options; what it writes is kept. A state dict holds these.
  virtual void visit(const std::function<void(const char *name, double &number)> &visitor) = 0;
  /// Throws `value_error` for a number outside its domain.
  virtual void check() const = 0;
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
  const std::vector<OptimizerParamGroup> &param_groups() const { return groups_; }
  /// Parameters with the options that the optimizer was made with, unless the group has its own. Throws `value_error`
  /// for options of another optimizer, a parameter that is in a group already or that is not a leaf.
  void add_param_group(OptimizerParamGroup group);

  /// What a later run needs to go on: "state.<parameter>.step" and its tensors, which are not copied, parameters
  /// numbered through all groups, and "groups.<group>.<option>" as f64.
  OrderedDict<Tensor> state_dict() const;
  /// Throws `value_error` listing what is missing, unexpected or of other sizes or dtypes; nothing has changed then.
  void load_state_dict(const OrderedDict<Tensor> &state, SourceLocation loc = SourceLocation::current());

protected:
  /// Of one parameter: gradients seen, and a tensor for each name that the optimizer gave. They are there from the
  /// start, so that the first step is like all others.
  struct State {
    int64_t step = 0;
    std::vector<Tensor> tensors;
  };
  /// Throws `value_error` for no parameters or a parameter that is not a leaf. `state_names`: of the tensors of State,
  /// which start as zeros of the parameter's sizes.
  Optimizer(std::vector<OptimizerParamGroup> groups, std::unique_ptr<OptimizerOptions> defaults,
            std::vector<std::string> state_names);
  /// Updates a parameter that has a gradient and counts the step; recording is on, the tape off.
  virtual void update(Tensor &param, const OptimizerOptions &options, State &state) = 0;

private:
  void addGroup(OptimizerParamGroup group);
  std::vector<OptimizerParamGroup> groups_;
  std::vector<std::vector<State>> states_; ///< of each parameter of each group
  std::unique_ptr<OptimizerOptions> defaults_;
  std::vector<std::string> stateNames_;
};

namespace detail {
inline std::vector<OptimizerParamGroup> oneGroup(std::vector<Tensor> params) {
  std::vector<OptimizerParamGroup> groups;
  groups.emplace_back(std::move(params));
  return groups;
}
} // namespace detail

} // namespace tensorjit::optim
