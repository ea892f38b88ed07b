// Optimizer steps compiled by the real compiler: no recompile however rates and step counts change, and the bits of
// the eager step.
#include "tensorjit/tensorjit.h"

#include <gtest/gtest.h>

using namespace tensorjit;

namespace {

template <class Optimizer> struct Training {
  std::vector<Tensor> params;
  std::unique_ptr<Optimizer> optimizer;
  std::unique_ptr<optim::LRScheduler> schedule;
  template <class Options> explicit Training(const Options &options) {
    manual_seed(3);
    for (Shape sizes : {Shape{7, 5}, Shape{5}, Shape{64, 33}}) params.push_back(randn(sizes).requires_grad_());
    optimizer = std::make_unique<Optimizer>(params, options);
    schedule = std::make_unique<optim::CosineAnnealingLR>(*optimizer, 20);
  }
  void step() {
    for (Tensor &p : params) p.mutable_grad() = (p * 0.5f).detach();
    optimizer->step();
  }
};

template <class Optimizer, class Options> void expectNoRecompiles(const Options &options) {
  Training<Optimizer> eager(options), traced(options);
  tensorjit::Options strict;
  strict.strict = true;
  auto step = compile([&] { traced.step(); }, strict);
  for (int i = 0; i < 20; ++i) {
    eager.step();
    step();
    for (size_t p = 0; p < eager.params.size(); ++p)
      ASSERT_TRUE(equal(eager.params[p], traced.params[p])) << "step " << i << ", parameter " << p;
    eager.schedule->step();
    traced.schedule->step();
  }
  EXPECT_EQ(step.stats().compiles, 1) << step.explain();
}

} // namespace

// TR-13
TEST(CompiledOptimizers, TR13_RatesAndStepsAreArguments) {
  expectNoRecompiles<optim::AdamW>(optim::AdamWOptions(0.1));
  expectNoRecompiles<optim::Adam>(optim::AdamOptions(0.1).weight_decay(0.2));
  expectNoRecompiles<optim::SGD>(optim::SGDOptions(0.1).momentum(0.9).weight_decay(0.2));
}

// All parameters of a step go into one launch where the compiler can lay them side by side.
TEST(CompiledOptimizers, AStepOfAllParametersIsFewKernels) {
  Training<optim::Adam> traced{optim::AdamOptions(0.1)};
  auto step = compile([&] { traced.step(); });
  step();
  const std::string text = step.explain();
  EXPECT_NE(text.find(", 1 kernels"), text.npos) << text;
}
