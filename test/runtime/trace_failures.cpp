/// What a program sees when a compile fails, and what a saved executable needs.
#include "FakeCompiler.h"
#include "tensorjit/loaded_executable.h"
#include "tensorjit/tensorjit.h"

#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace tensorjit;
using namespace tensorjit::testing;

namespace {

struct Failures : WithFakeCompiler {
  std::vector<std::string> warnings;
  void SetUp() override {
    WithFakeCompiler::SetUp();
    set_log_sink([this](std::string_view line) { warnings.emplace_back(line); });
  }
  void TearDown() override {
    set_log_sink({});
    WithFakeCompiler::TearDown();
  }
};

std::string temporaryFile(const std::string &name) {
  return std::filesystem::temp_directory_path() / ("tensorjit-" + std::to_string(getpid()) + "-" + name);
}

} // namespace

TEST_F(Failures, ARefusalIsReportedOnceAndRemembered) {
  auto compiled = compile([](const Tensor &x) { return x * 2.f; });
  failures = 1;
  failure = Failure::Refusal;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(floats(compiled(ones({1}))), std::vector<float>{2});
  EXPECT_EQ(compiles, 0);
  EXPECT_EQ(compiled.stats().eager_segments, 3);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("refused by the test"), std::string::npos) << warnings[0];
  EXPECT_NE(compiled.explain().find("refused by the test"), std::string::npos) << compiled.explain();
}

TEST_F(Failures, TheInjectedFailureRunsEagerly) {
  Options options;
  options.fail_compile = Options::Failure::Refusal;
  Tensor state = zeros({1});
  auto compiled = compile([&](const Tensor &x) { state.add_(x); }, options);
  for (int i = 1; i < 3; ++i) {
    compiled(ones({1}));
    EXPECT_EQ(floats(state), std::vector<float>{static_cast<float>(i)});
  }
  EXPECT_EQ(warnings.size(), 1u);
}

TEST_F(Failures, StrictThrowsAndChangesNothing) {
  Options options;
  options.strict = true;
  Tensor state = zeros({1});
  auto compiled = compile([&](const Tensor &x) { state.add_(x); }, options);
  failures = 1;
  EXPECT_THROW(compiled(ones({1})), compile_error);
  EXPECT_EQ(floats(state), std::vector<float>{0});
  compiled(ones({1}));
  EXPECT_EQ(floats(state), std::vector<float>{1});
}

TEST_F(Failures, AValueOfAFailedRunSaysSo) {
  Tensor kept;
  auto compiled = compile([&](const Tensor &x, const Tensor &t) {
    kept = x.sum() + 1.f;
    return cross_entropy(x, t);
  });
  EXPECT_THROW(compiled(zeros({1, 2}), tensor({2})), index_error);
  try {
    kept.item<float>();
    FAIL();
  } catch (const Error &e) {
    EXPECT_NE(std::string(e.what()).find("failed"), std::string::npos) << e.what();
  }
  EXPECT_THROW(kept + 1.f, Error);
  compiled(zeros({1, 2}), tensor({1}));
  EXPECT_EQ(floats(kept), std::vector<float>{1});
}

TEST_F(Failures, TheFunctionMayCatchAFailedRunAndGoOn) {
  auto compiled = compile([&](const Tensor &x, const Tensor &t) {
    Tensor loss = cross_entropy(x, t);
    try {
      loss.item<float>();
    } catch (const index_error &) {
      return x + 5.f;
    }
    return x + loss;
  });
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(floats(compiled(zeros({1, 2}), tensor({3}))), (std::vector<float>{5, 5}));
    EXPECT_NEAR(floats(compiled(zeros({1, 2}), tensor({1})))[0], 0.6931472f, 1e-6f);
  }
}

TEST_F(Failures, ASavedStepRunsWithoutTheFunction) {
  std::string path = temporaryFile("step");
  Tensor w = tensor({1.f, 2.f}).requires_grad_(), buffer = zeros({2});
  auto step = [&](const Tensor &x) {
    w.mutable_grad() = Tensor();
    Tensor loss = (x * w).square().sum();
    loss.backward();
    NoGradGuard guard;
    sgd_momentum_(w, w.grad(), buffer, 0.01, 0.9, 0, 0, false);
    return loss.detach();
  };
  auto compiled = compile(step);
  Tensor x = tensor({0.5f, -1.f});
  compiled.save(path, x);
  LoadedExecutable loaded(path);
  EXPECT_EQ(loaded.num_arguments(), 1u);
  for (int i = 0; i < 3; ++i) {
    Tensor batch = x * static_cast<float>(i + 1);
    auto results = loaded.run({batch});
    ASSERT_EQ(results.size(), 1u);
    expectSame(results[0], step(batch), "step " + std::to_string(i));
  }
  EXPECT_THROW(loaded.run({}), value_error);
  EXPECT_THROW(loaded.run({ones({3})}), shape_error);
  EXPECT_THROW(loaded.run({ones({2}, kFloat64)}), type_error);
  std::filesystem::remove(path);
}

TEST_F(Failures, SavingRefusesWhatIsNotOneGraph) {
  std::string path = temporaryFile("refused");
  auto broken = compile([](const Tensor &x) { return x * x.sum().item<float>(); });
  EXPECT_THROW(broken.save(path, ones({2})), not_supported);
  auto identity = compile([](const Tensor &x) { return x; });
  EXPECT_THROW(identity.save(path, ones({2})), not_supported);
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_THROW(LoadedExecutable{path}, io_error);
}

TEST(WithoutCompiler, CallsRunByEagerKernelsWithOneWarning) {
  if (trace::compiler()) GTEST_SKIP() << "the compiler is there";
  std::vector<std::string> warnings;
  set_log_sink([&](std::string_view line) { warnings.emplace_back(line); });
  auto compiled = compile([](const Tensor &x) { return x * 2.f; });
  EXPECT_EQ(floats(compiled(ones({1}))), std::vector<float>{2});
  EXPECT_EQ(floats(compiled(ones({2}))), std::vector<float>(2, 2));
  set_log_sink({});
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("compiler"), std::string::npos) << warnings[0];
}
