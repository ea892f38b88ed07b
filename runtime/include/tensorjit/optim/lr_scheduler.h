#pragma once
#include "tensorjit/optim/optimizer.h"

#include <functional>
#include <memory>
#include <vector>

namespace tensorjit::optim {

/// Sets the learning rates of an optimizer's groups, which it must not outlive, as a function of the epoch and of the
/// rate that each group had when the scheduler was made. `step()` after each epoch (or after each batch: the unit is
/// the caller's).
class LRScheduler {
public:
  virtual ~LRScheduler() = default;
  LRScheduler(const LRScheduler &) = delete;
  /// Goes to the next epoch and sets its rates.
  void step();
  /// Calls of `step` so far.
  int64_t last_epoch() const { return epoch_; }
  /// Of each group.
  std::vector<double> get_last_lr() const;

  /// "last_epoch" and "base_lr" (f64, one a group).
  OrderedDict<Tensor> state_dict() const;
  /// Goes on where the other scheduler stood and sets the rates. Throws `value_error` for another set of entries or
  /// another number of groups; nothing has changed then.
  void load_state_dict(const OrderedDict<Tensor> &state, SourceLocation loc = SourceLocation::current());

protected:
  explicit LRScheduler(Optimizer &optimizer);
  /// To be called at the end of each constructor: sets the rates of epoch 0.
  void apply();
  virtual double lr(double base, int64_t epoch) const = 0;

private:
  friend class SequentialLR;
  Optimizer &optimizer_;
  std::vector<double> base_;
  int64_t epoch_ = 0;
};

/// base * gamma^floor(epoch / step_size)
class StepLR : public LRScheduler {
public:
  /// Throws `value_error` for step_size < 1.
  StepLR(Optimizer &optimizer, int64_t step_size, double gamma = 0.1);

private:
  double lr(double base, int64_t epoch) const override;
  int64_t stepSize_;
  double gamma_;
};

/// base * gamma^epoch
class ExponentialLR : public LRScheduler {
public:
  ExponentialLR(Optimizer &optimizer, double gamma);

private:
  double lr(double base, int64_t epoch) const override;
  double gamma_;
};

/// eta_min + (base - eta_min) * (1 + cos(pi epoch / t_max)) / 2 (Loshchilov and Hutter, "SGDR", 2017, without
/// restarts).
class CosineAnnealingLR : public LRScheduler {
public:
  /// Throws `value_error` for t_max < 1.
  CosineAnnealingLR(Optimizer &optimizer, int64_t t_max, double eta_min = 0);

private:
  double lr(double base, int64_t epoch) const override;
  int64_t tMax_;
  double etaMin_;
};

/// base times a factor that goes in a straight line from `start_factor` at epoch 0 to `end_factor` at `total_iters`
/// and stays there: a warm-up.
class LinearLR : public LRScheduler {
public:
  /// Throws `value_error` for total_iters < 1 or a start_factor outside (0, 1].
  LinearLR(Optimizer &optimizer, double start_factor = 1.0 / 3, double end_factor = 1, int64_t total_iters = 5);

private:
  double lr(double base, int64_t epoch) const override;
  double start_, end_;
  int64_t total_;
};

/// base * factor(epoch)
class LambdaLR : public LRScheduler {
public:
  LambdaLR(Optimizer &optimizer, std::function<double(int64_t)> factor);

private:
  double lr(double base, int64_t epoch) const override;
  std::function<double(int64_t)> factor_;
};

/// One scheduler after the other: number i + 1 takes over at epoch `milestones[i]`, where it starts with epoch 0. All
/// count from the rates that the groups had before the first of them was made:
///
///     optim::SequentialLR schedule(sgd, {[](auto &o) { return std::make_unique<optim::LinearLR>(o); },
///                                        [](auto &o) { return std::make_unique<optim::CosineAnnealingLR>(o, 95); }},
///                                        {5});
class SequentialLR : public LRScheduler {
public:
  using Make = std::function<std::unique_ptr<LRScheduler>(Optimizer &)>;
  /// Throws `value_error` where milestones do not rise or are not one fewer than the schedulers.
  SequentialLR(Optimizer &optimizer, const std::vector<Make> &schedulers, std::vector<int64_t> milestones);

private:
  double lr(double base, int64_t epoch) const override;
  std::vector<std::unique_ptr<LRScheduler>> parts_;
  std::vector<int64_t> milestones_;
};

} // namespace tensorjit::optim
