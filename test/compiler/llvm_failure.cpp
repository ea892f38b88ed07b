/// Errors inside LLVM: the call that needed the code runs eagerly, says why, and the next compile works.
#include <gtest/gtest.h>
#include <tensorjit/tensorjit.h>
#include <thread>

using namespace tensorjit;

namespace {

class LlvmFailure : public testing::TestWithParam<std::pair<Options::Failure, const char *>> {
protected:
  void SetUp() override {
    set_log_sink([this](std::string_view line) { warnings.emplace_back(line); });
  }
  void TearDown() override { set_log_sink({}); }
  std::vector<std::string> warnings;
};

TEST_P(LlvmFailure, RunsEagerlyAndSaysWhy) {
  Options failing;
  failing.fail_compile = GetParam().first;
  auto f = [](const Tensor &x) { return (x * 2.f).exp().sum(); };
  auto broken = compile(f, failing);
  Tensor x = ones({3, 5});
  double wanted = f(x).item();
  for (int call = 0; call < 2; ++call) EXPECT_EQ(broken(x).item(), wanted);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find(GetParam().second), std::string::npos) << warnings[0];
  EXPECT_EQ(broken.stats().compiles, 0);

  auto whole = compile(f);
  EXPECT_NEAR(whole(x).item(), wanted, 1e-4);
  EXPECT_EQ(whole.stats().compiles, 1);
  EXPECT_EQ(warnings.size(), 1u);
}

TEST_P(LlvmFailure, InOneThreadLeavesOthersAlone) {
  Options failing, strict;
  failing.fail_compile = GetParam().first;
  strict.strict = true;
  auto f = [](const Tensor &x) { return (x + 1.f).tanh(); };
  auto broken = compile(f, failing), whole = compile(f, strict);
  std::thread other([&] { broken(ones({7})); });
  EXPECT_NO_THROW(whole(ones({9})));
  other.join();
  EXPECT_EQ(whole.stats().compiles, 1);
}

INSTANTIATE_TEST_SUITE_P(, LlvmFailure,
                         testing::Values(std::pair(Options::Failure::LlvmError, "an injected error"),
                                         std::pair(Options::Failure::LlvmFatalError, "an injected fatal error")));

} // namespace
