// Training goes on while its step is compiled, and goes on as before with what was compiled.
#include "tensorjit/tensorjit.h"

#include <gtest/gtest.h>

using namespace tensorjit;

TEST(BackgroundCompile, TrainingGoesOn) {
  struct Training {
    nn::Linear fc{8, 3};
    optim::SGD sgd{(manual_seed(1), fc->parameters()), optim::SGDOptions(0.1).momentum(0.9)};
    Tensor operator()(const Tensor &x) {
      Tensor loss = fc->forward(x).tanh().square().mean();
      sgd.zero_grad();
      loss.backward();
      sgd.step();
      return loss.detach();
    }
  };
  Training eager, compiled;
  {
    NoGradGuard guard;
    for (size_t i = 0; i < 2; ++i) compiled.fc->parameters()[i].copy_(eager.fc->parameters()[i]);
  }
  Options options;
  options.background = true;
  options.strict = true;
  auto step = compile([&](const Tensor &x) { return compiled(x); }, options);
  for (int i = 0; i < 12; ++i) {
    manual_seed(static_cast<uint64_t>(i));
    const Tensor x = randn({16, 8});
    const float want = eager(x).item<float>(), got = step(x).item<float>();
    EXPECT_NEAR(got, want, 1e-5 * want) << i;
    if (i == 5 || i == 6) step.wait_for_compiles();
  }
  EXPECT_GT(step.stats().compiles, 0);
  EXPECT_GT(step.stats().eager_segments, 0);
  const int64_t eagerRuns = step.stats().eager_segments;
  step(randn({16, 8}));
  EXPECT_EQ(step.stats().eager_segments, eagerRuns) << step.explain();
}
