#include "core/NumberText.h"
#include "core/StateDict.h"
#include "tensorjit/creation.h"
#include "tensorjit/optim/lr_scheduler.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tensorjit::optim {

static void requirePositive(const char *scheduler, const char *what, int64_t value) {
  if (value < 1)
    throw value_error(std::string(scheduler) + ": " + what + " must be at least 1, got " + std::to_string(value));
}

LRScheduler::LRScheduler(Optimizer &optimizer) : optimizer_(optimizer), base_(get_last_lr()) {}

std::vector<double> LRScheduler::get_last_lr() const {
  std::vector<double> rates;
  for (const OptimizerParamGroup &g : optimizer_.param_groups()) rates.push_back(g.options().get_lr());
  return rates;
}

void LRScheduler::apply() {
  auto &groups = optimizer_.param_groups();
  for (size_t g = base_.size(); g < groups.size(); ++g) base_.push_back(groups[g].options().get_lr()); // added since
  for (size_t g = 0; g < groups.size(); ++g) groups[g].options().set_lr(lr(base_[g], epoch_));
}

void LRScheduler::step() {
  ++epoch_;
  apply();
}

OrderedDict<Tensor> LRScheduler::state_dict() const {
  OrderedDict<Tensor> dict;
  dict.insert("last_epoch", tensor(epoch_));
  dict.insert("base_lr", tensor(base_, kFloat64));
  return dict;
}

void LRScheduler::load_state_dict(const OrderedDict<Tensor> &from, SourceLocation loc) {
  requireSameEntries("scheduler", state_dict(), from, loc);
  epoch_ = from.find("last_epoch")->item<int64_t>(loc);
  const Tensor base = from.find("base_lr")->contiguous();
  base_.assign(base.data_ptr<double>(), base.data_ptr<double>() + base.numel());
  apply();
}

StepLR::StepLR(Optimizer &optimizer, int64_t stepSize, double gamma)
    : LRScheduler(optimizer), stepSize_(stepSize), gamma_(gamma) {
  requirePositive("StepLR", "step_size", stepSize);
  apply();
}
double StepLR::lr(double base, int64_t epoch) const {
  return base * std::pow(gamma_, static_cast<double>(epoch / stepSize_));
}

ExponentialLR::ExponentialLR(Optimizer &optimizer, double gamma) : LRScheduler(optimizer), gamma_(gamma) { apply(); }
double ExponentialLR::lr(double base, int64_t epoch) const {
  return base * std::pow(gamma_, static_cast<double>(epoch));
}

CosineAnnealingLR::CosineAnnealingLR(Optimizer &optimizer, int64_t tMax, double etaMin)
    : LRScheduler(optimizer), tMax_(tMax), etaMin_(etaMin) {
  requirePositive("CosineAnnealingLR", "t_max", tMax);
  apply();
}
double CosineAnnealingLR::lr(double base, int64_t epoch) const {
  const double turn = std::numbers::pi * static_cast<double>(epoch) / static_cast<double>(tMax_);
  return etaMin_ + (base - etaMin_) * (1 + std::cos(turn)) / 2;
}

LinearLR::LinearLR(Optimizer &optimizer, double startFactor, double endFactor, int64_t totalIters)
    : LRScheduler(optimizer), start_(startFactor), end_(endFactor), total_(totalIters) {
  requirePositive("LinearLR", "total_iters", totalIters);
  if (!(startFactor > 0 && startFactor <= 1))
    throw value_error("LinearLR: start_factor must be in (0, 1], got " + numberText(startFactor));
  apply();
}
double LinearLR::lr(double base, int64_t epoch) const {
  const double way = static_cast<double>(std::min(epoch, total_)) / static_cast<double>(total_);
  return base * (start_ + (end_ - start_) * way);
}

LambdaLR::LambdaLR(Optimizer &optimizer, std::function<double(int64_t)> factor)
    : LRScheduler(optimizer), factor_(std::move(factor)) {
  if (!factor_) throw value_error("LambdaLR: the function is empty");
  apply();
}
double LambdaLR::lr(double base, int64_t epoch) const { return base * factor_(epoch); }

SequentialLR::SequentialLR(Optimizer &optimizer, const std::vector<Make> &schedulers, std::vector<int64_t> milestones)
    : LRScheduler(optimizer), milestones_(std::move(milestones)) {
  if (schedulers.empty() || milestones_.size() + 1 != schedulers.size())
    throw value_error("SequentialLR: " + std::to_string(schedulers.size()) +
                      " schedulers need one milestone fewer, got " + std::to_string(milestones_.size()));
  for (size_t i = 0; i < milestones_.size(); ++i)
    if (milestones_[i] <= (i ? milestones_[i - 1] : 0)) throw value_error("SequentialLR: the milestones do not rise");
  for (const Make &make : schedulers) {
    for (size_t g = 0; g < base_.size(); ++g) optimizer.param_groups()[g].options().set_lr(base_[g]);
    parts_.push_back(make(optimizer));
  }
  apply();
}
double SequentialLR::lr(double base, int64_t epoch) const {
  const auto part = std::upper_bound(milestones_.begin(), milestones_.end(), epoch) - milestones_.begin();
  return parts_[static_cast<size_t>(part)]->lr(base, part ? epoch - milestones_[static_cast<size_t>(part) - 1] : epoch);
}

} // namespace tensorjit::optim
