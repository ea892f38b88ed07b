#include "tensorjit/optim/adam.h"
#include "optim/Check.h"
#include "tensorjit/ops.h"

#include <cmath>

namespace tensorjit::optim {

namespace {

void checkNumbers(const char *name, double lr, const AdamOptions::Betas &betas, double eps, double decay) {
  requireNotNegative(name, "learning rate", lr);
  requireNotNegative(name, "eps", eps);
  requireNotNegative(name, "weight decay", decay);
  for (double b : {std::get<0>(betas), std::get<1>(betas)})
    if (!(b >= 0 && b < 1)) throw value_error(std::string(name) + ": a beta must be in [0, 1), got " + numberText(b));
}

/// What step number `t`, from 1, needs of the options.
struct StepNumbers {
  StepNumbers(double lr, const AdamOptions::Betas &betas, double t)
      : stepSize(lr / (1 - std::pow(std::get<0>(betas), t))),
        correction(std::sqrt(1 - std::pow(std::get<1>(betas), t))), avgRate(1 - std::get<0>(betas)),
        beta2(std::get<1>(betas)), sqRate(1 - std::get<1>(betas)) {}
  double stepSize, correction, avgRate, beta2, sqRate;
};

void visitNumbers(const std::function<void(const char *, double &)> &visitor, double &lr, AdamOptions::Betas &betas,
                  double &eps, double &decay) {
  visitor("lr", lr);
  visitor("beta1", std::get<0>(betas));
  visitor("beta2", std::get<1>(betas));
  visitor("eps", eps);
  visitor("weight_decay", decay);
}

} // namespace

void AdamOptions::visit(const std::function<void(const char *, double &)> &visitor) {
  visitNumbers(visitor, lr_, betas_, eps_, weight_decay_);
}
void AdamWOptions::visit(const std::function<void(const char *, double &)> &visitor) {
  visitNumbers(visitor, lr_, betas_, eps_, weight_decay_);
}
void AdamOptions::check() const { checkNumbers("Adam", lr_, betas_, eps_, weight_decay_); }
void AdamWOptions::check() const { checkNumbers("AdamW", lr_, betas_, eps_, weight_decay_); }

void Adam::update(Tensor &param, const OptimizerOptions &options, State &state) {
  const auto &o = static_cast<const AdamOptions &>(options);
  const StepNumbers n(o.lr(), o.betas(), static_cast<double>(state.step + 1));
  adam_(param, param.grad(), state.tensors[0], state.tensors[1], n.stepSize, n.correction, n.avgRate, n.beta2, n.sqRate,
        o.eps(), o.weight_decay());
}

void AdamW::update(Tensor &param, const OptimizerOptions &options, State &state) {
  const auto &o = static_cast<const AdamWOptions &>(options);
  const StepNumbers n(o.lr(), o.betas(), static_cast<double>(state.step + 1));
  adamw_(param, param.grad(), state.tensors[0], state.tensors[1], n.stepSize, n.correction, n.avgRate, n.beta2,
         n.sqRate, o.eps(), 1 - o.lr() * o.weight_decay());
}

} // namespace tensorjit::optim
