// A hundred training steps, eager and compiled. Sums may be taken in another order (class T of the op contract), so the
// curves are not compared bit for bit but with the same training in f64: what rounding alone does to the eager curve is
// the measure of what the compiled one may do.
#include "tensorjit/tensorjit.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace tensorjit;

namespace {

constexpr int steps = 120;

struct Problem {
  std::vector<Tensor> weights; ///< f32
  std::vector<std::pair<Tensor, Tensor>> batches;
  Tensor (*loss)(const std::vector<Tensor> &p, const Tensor &x, const Tensor &y);
};

Tensor scaledNormal(const Shape &sizes, double scale) { return randn(sizes) * scale; }

/// Classes that a random linear map of the inputs decides, so that there is something to learn.
Problem problemOf(const Shape &input, std::vector<Tensor> weights,
                  Tensor (*loss)(const std::vector<Tensor> &, const Tensor &, const Tensor &)) {
  const int64_t width = input.numel() / input[0];
  const Tensor teacher = randn({width, 5});
  Problem problem{std::move(weights), {}, loss};
  for (int i = 0; i < 6; ++i) {
    const Tensor x = randn(input);
    problem.batches.emplace_back(x, matmul(x.reshape({input[0], width}), teacher).argmax(1));
  }
  return problem;
}

Problem mlp() {
  return problemOf({32, 20},
                   {scaledNormal({64, 20}, 0.2), zeros({64}), scaledNormal({64, 64}, 0.12), zeros({64}),
                    scaledNormal({5, 64}, 0.12), zeros({5})},
                   [](const std::vector<Tensor> &p, const Tensor &x, const Tensor &y) {
                     const Tensor h = tanh(linear(x, p[0], p[1])), g = relu(linear(h, p[2], p[3]));
                     return cross_entropy(linear(g, p[4], p[5]), y);
                   });
}

/// The layers of the small convolutional network of examples/, narrower and on smaller images.
Problem smallCnn() {
  return problemOf({16, 1, 12, 12},
                   {scaledNormal({8, 1, 3, 3}, 0.3), zeros({8}), scaledNormal({12, 8, 3, 3}, 0.12), zeros({12}),
                    scaledNormal({24, 108}, 0.1), zeros({24}), scaledNormal({5, 24}, 0.2), zeros({5})},
                   [](const std::vector<Tensor> &p, const Tensor &x, const Tensor &y) {
                     const Tensor a = max_pool2d(relu(conv2d(x, p[0], p[1], 1, 1)), 2);
                     const Tensor b = max_pool2d(relu(conv2d(a, p[2], p[3], 1, 1)), 2);
                     const Tensor h = relu(linear(b.flatten(1), p[4], p[5]));
                     return cross_entropy(linear(h, p[6], p[7]), y);
                   });
}

enum class Run { Eager, CompiledForward, CompiledStep };

std::vector<double> train(const Problem &problem, DType type, Run how) {
  std::vector<Tensor> parameters;
  for (const Tensor &w : problem.weights) parameters.push_back(w.to(type).clone().requires_grad_());
  optim::SGD sgd(parameters, optim::SGDOptions(0.02).momentum(0.9));
  auto loss = [&](const Tensor &x, const Tensor &y) { return problem.loss(parameters, x, y); };
  auto step = [&](auto &forward, const Tensor &x, const Tensor &y) {
    Tensor l = forward(x, y);
    sgd.zero_grad();
    l.backward();
    sgd.step();
    return l;
  };
  auto compiledLoss = compile(loss);
  auto compiledStep = compile([&](const Tensor &x, const Tensor &y) { return step(loss, x, y); });
  std::vector<double> curve;
  for (int i = 0; i < steps; ++i) {
    const auto &[x, y] = problem.batches[static_cast<size_t>(i) % problem.batches.size()];
    const Tensor input = x.to(type);
    const Tensor l = how == Run::Eager             ? step(loss, input, y)
                     : how == Run::CompiledForward ? step(compiledLoss, input, y)
                                                   : compiledStep(input, y);
    curve.push_back(l.item<double>());
  }
  return curve;
}

double farthest(const std::vector<double> &a, const std::vector<double> &b) {
  double most = 0;
  for (size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

void expectSameCurves(const Problem &problem) {
  const std::vector<double> exact = train(problem, kDouble, Run::Eager), eager = train(problem, kFloat, Run::Eager);
  ASSERT_LT(exact.back(), 0.7 * exact.front()) << "the problem is not learnt, so its curve says little";
  const double rounding = farthest(eager, exact);
  ASSERT_LT(rounding, 1e-3);
  for (Run how : {Run::CompiledForward, Run::CompiledStep}) {
    const std::vector<double> compiled = train(problem, kFloat, how);
    // Two roundings of one computation lie about equally far from it; eight times leaves room for luck. The rest is
    // one unit of f32 in the loss.
    EXPECT_LE(farthest(compiled, exact), 8 * rounding + 1.2e-7 * exact.front());
  }
}

} // namespace

TEST(LossCurves, Mlp) {
  manual_seed(3);
  expectSameCurves(mlp());
}

TEST(LossCurves, SmallCnn) {
  manual_seed(4);
  expectSameCurves(smallCnn());
}
