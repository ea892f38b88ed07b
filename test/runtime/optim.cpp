// Adam, AdamW, parameter groups, schedulers, state: values against formulas written out here in f64.
#include "Expect.h"

#include <numbers>

using namespace tensorjit;
using namespace tensorjit::test;

namespace {

/// Kingma and Ba's algorithm 1 as the paper prints it, with corrected means.
struct TextbookAdam {
  double lr, b1 = 0.9, b2 = 0.999, eps = 1e-8, l2 = 0, decoupled = 0;
  double m = 0, v = 0;
  int t = 0;
  double step(double p, double g) {
    ++t;
    g += l2 * p;
    p -= lr * decoupled * p;
    m = b1 * m + (1 - b1) * g;
    v = b2 * v + (1 - b2) * g * g;
    const double mHat = m / (1 - std::pow(b1, t)), vHat = v / (1 - std::pow(b2, t));
    return p - lr * mHat / (std::sqrt(vHat) + eps);
  }
};

template <class Optimizer, class Options> void expectSteps(const Options &options, TextbookAdam textbook) {
  Tensor p = tensor({1.0, -2.0}, kDouble).requires_grad_();
  Optimizer optimizer({p}, options);
  std::vector<TextbookAdam> each(2, textbook);
  double value[] = {1, -2};
  for (int t = 0; t < 5; ++t) {
    optimizer.zero_grad();
    (p * p * p).sum().backward();
    optimizer.step();
    for (size_t i = 0; i < 2; ++i) value[i] = each[i].step(value[i], 3 * value[i] * value[i]);
    expectClose(p, {value[0], value[1]}, 1e-13); // a few ulp of values near 1
  }
}

double rate(optim::Optimizer &o, size_t group = 0) { return o.param_groups()[group].options().get_lr(); }

struct Rates : testing::Test {
  Tensor p = ones({1}).requires_grad_();
  optim::SGD sgd{{p}, 0.8};
  void expectRates(optim::LRScheduler &schedule, std::vector<double> expected) {
    for (size_t e = 0; e < expected.size(); ++e) {
      EXPECT_NEAR(rate(sgd), expected[e], 1e-15) << "epoch " << e;
      EXPECT_EQ(schedule.last_epoch(), static_cast<int64_t>(e));
      schedule.step();
    }
  }
};

} // namespace

TEST(Adam, FollowsThePaper) {
  expectSteps<optim::Adam>(optim::AdamOptions(0.1), {.lr = 0.1});
  expectSteps<optim::Adam>(optim::AdamOptions(0.02).betas({0.5, 0.7}).eps(1e-3),
                           {.lr = 0.02, .b1 = 0.5, .b2 = 0.7, .eps = 1e-3});
  expectSteps<optim::Adam>(optim::AdamOptions(0.1).weight_decay(0.3), {.lr = 0.1, .l2 = 0.3});
}

TEST(AdamW, DecaysTheParameterApart) {
  expectSteps<optim::AdamW>(optim::AdamWOptions(0.1).weight_decay(0.3), {.lr = 0.1, .decoupled = 0.3});
  expectSteps<optim::AdamW>(optim::AdamWOptions(0.1), {.lr = 0.1, .decoupled = 0.01});
}

// 1 - 0.999 has three digits in f32; the corrections must not be taken there.
TEST(Adam, FirstStepInF32IsTheLearningRate) {
  Tensor p = zeros({3}).requires_grad_();
  p.mutable_grad() = tensor({1e-3f, -5.f, 1e4f});
  optim::Adam adam({p}, optim::AdamOptions(0.125));
  adam.step();
  expectClose(p, {-0.125, 0.125, -0.125}, 2e-6); // eps beside 1e-3 takes 1e-5 of the step
}

TEST(Adam, CountsStepsOfEachParameter) {
  Tensor a = ones({1}, kDouble).requires_grad_(), b = ones({1}, kDouble).requires_grad_();
  optim::Adam adam({a, b}, optim::AdamOptions(0.1));
  a.mutable_grad() = ones({1}, kDouble);
  adam.step();
  b.mutable_grad() = ones({1}, kDouble);
  adam.step(); // the first of b, the second of a
  TextbookAdam ofA{.lr = 0.1}, ofB{.lr = 0.1};
  expectClose(a, {ofA.step(ofA.step(1, 1), 1)}, 1e-14);
  expectClose(b, {ofB.step(1, 1)}, 1e-14);
}

TEST(Adam, RefusesBadOptions) {
  Tensor p = ones({1}).requires_grad_();
  errorOf<value_error>([&] { optim::Adam({p}, optim::AdamOptions(-1)); });
  errorOf<value_error>([&] { optim::Adam({p}, optim::AdamOptions(std::nan(""))); });
  errorOf<value_error>([&] { optim::Adam({p}, optim::AdamOptions().betas({0.9, 1})); });
  errorOf<value_error>([&] { optim::AdamW({p}, optim::AdamWOptions().eps(-1e-8)); });
  errorOf<value_error>([&] { optim::Adam({p, p}, optim::AdamOptions()); });
}

TEST(ParameterGroups, HaveOptionsOfTheirOwn) {
  Tensor a = ones({1}).requires_grad_(), b = ones({1}).requires_grad_(), c = ones({1}).requires_grad_();
  std::vector<optim::OptimizerParamGroup> groups;
  groups.emplace_back(std::vector<Tensor>{a});
  groups.emplace_back(std::vector<Tensor>{b}, std::make_unique<optim::SGDOptions>(0.25));
  optim::SGD sgd(std::move(groups), 0.5);
  sgd.add_param_group({{c}, std::make_unique<optim::SGDOptions>(0.125)});
  for (Tensor *p : {&a, &b, &c}) p->mutable_grad() = ones({1});
  sgd.step();
  EXPECT_VALUES(a, 0.5);
  EXPECT_VALUES(b, 0.75);
  EXPECT_VALUES(c, 0.875);
  errorOf<value_error>([&] { sgd.add_param_group({{a}}); });
  errorOf<value_error>([&] {
    sgd.add_param_group({{ones({1}).requires_grad_()}, std::make_unique<optim::AdamOptions>()});
  });
  EXPECT_EQ(sgd.param_groups().size(), 3u);
}

TEST_F(Rates, StepLR) {
  optim::StepLR schedule(sgd, 2, 0.5);
  expectRates(schedule, {0.8, 0.8, 0.4, 0.4, 0.2});
}

TEST_F(Rates, ExponentialLR) {
  optim::ExponentialLR schedule(sgd, 0.5);
  expectRates(schedule, {0.8, 0.4, 0.2, 0.1});
}

TEST_F(Rates, CosineAnnealingLR) {
  optim::CosineAnnealingLR schedule(sgd, 4, 0.2);
  const double r = std::numbers::sqrt2 / 2;
  expectRates(schedule, {0.8, 0.2 + 0.3 * (1 + r), 0.5, 0.2 + 0.3 * (1 - r), 0.2});
}

TEST_F(Rates, LinearLRWarmsUp) {
  optim::LinearLR schedule(sgd, 0.25, 1, 3);
  expectRates(schedule, {0.2, 0.4, 0.6, 0.8, 0.8});
}

TEST_F(Rates, LambdaLR) {
  optim::LambdaLR schedule(sgd, [](int64_t epoch) { return 1.0 / static_cast<double>(1 + epoch); });
  expectRates(schedule, {0.8, 0.4, 0.8 / 3});
}

TEST_F(Rates, SequentialLRGoesFromOneToTheNext) {
  optim::SequentialLR schedule(sgd,
                               {[](auto &o) { return std::make_unique<optim::LinearLR>(o, 0.5, 1, 2); },
                                [](auto &o) { return std::make_unique<optim::ExponentialLR>(o, 0.5); }},
                               {2});
  expectRates(schedule, {0.4, 0.6, 0.8, 0.4, 0.2});
  errorOf<value_error>([&] { optim::SequentialLR(sgd, {}, {}); });
}

TEST_F(Rates, ASchedulerGoesOnFromItsState) {
  optim::StepLR first(sgd, 2, 0.5);
  for (int i = 0; i < 3; ++i) first.step();
  const auto state = first.state_dict();
  optim::SGD other({p}, 0.001);
  optim::StepLR second(other, 2, 0.5);
  second.load_state_dict(state);
  EXPECT_EQ(rate(other), 0.4);
  second.step();
  EXPECT_EQ(rate(other), 0.2);
  errorOf<value_error>([&] { second.load_state_dict({}); });
}

TEST(OptimizerState, ARunGoesOnWhereAnotherStopped) {
  auto make = [](Tensor &p) { return optim::Adam({p}, optim::AdamOptions(0.1).betas({0.8, 0.9})); };
  auto train = [](Tensor &p, optim::Adam &adam, int steps) {
    for (int i = 0; i < steps; ++i) {
      adam.zero_grad();
      (p * p * p).sum().backward();
      adam.step();
    }
  };
  Tensor whole = tensor({1.0, -2.0}, kDouble).requires_grad_();
  optim::Adam one = make(whole);
  train(whole, one, 6);

  Tensor part = tensor({1.0, -2.0}, kDouble).requires_grad_();
  optim::Adam two = make(part);
  train(part, two, 3);
  OrderedDict<Tensor> saved;
  for (auto &[name, value] : two.state_dict()) saved.insert(name, value.clone());
  Tensor rest = part.detach().clone().requires_grad_();
  optim::Adam three({rest}, optim::AdamOptions(0.7)); // all its numbers come from the state
  three.load_state_dict(saved);
  train(rest, three, 3);
  EXPECT_EQ(values(rest), values(whole));
}

TEST(OptimizerState, WhatDoesNotFitIsListedAndNothingChanges) {
  Tensor p = ones({2}).requires_grad_(), q = ones({3}).requires_grad_();
  optim::SGD sgd({p}, optim::SGDOptions(0.5).momentum(0.9)), other({q}, optim::SGDOptions(0.25).momentum(0.9));
  p.mutable_grad() = ones({2});
  sgd.step();
  const std::string text = errorOf<value_error>([&] { sgd.load_state_dict(other.state_dict()); });
  EXPECT_NE(text.find("state.0.momentum_buffer is f32[3], expected f32[2]"), text.npos) << text;
  EXPECT_EQ(rate(sgd), 0.5);
  EXPECT_VALUES(*sgd.state_dict().find("state.0.momentum_buffer"), 1, 1);
  const std::string missing = errorOf<value_error>([&] { sgd.load_state_dict({}); });
  EXPECT_NE(missing.find("missing: state.0.step, state.0.momentum_buffer, groups.0.lr"), missing.npos) << missing;
}

TEST(ClipGradNorm, ScalesAllGradientsTogether) {
  Tensor a = zeros({2}).requires_grad_(), b = zeros({1}).requires_grad_(), idle = zeros({1}).requires_grad_();
  a.mutable_grad() = tensor({3.f, 0.f});
  b.mutable_grad() = tensor({4.f});
  EXPECT_EQ(nn::utils::clip_grad_norm_({a, b, idle}, 10).item<float>(), 5);
  EXPECT_VALUES(a.grad(), 3, 0);
  EXPECT_EQ(nn::utils::clip_grad_norm_({a, b, idle}, 1).item<float>(), 5);
  expectClose(a.grad(), {0.6, 0}, 2e-7); // 1e-6 beside the norm
  expectClose(b.grad(), {0.8}, 2e-7);
  b.mutable_grad() = tensor({INFINITY});
  errorOf<value_error>([&] { nn::utils::clip_grad_norm_({a, b}, 1, true); });
  expectClose(a.grad(), {0.6, 0}, 2e-7);
}
