/// Compiles in the background, and functions that may not compile.
#include "FakeCompiler.h"
#include "tensorjit/tensorjit.h"

#include <condition_variable>
#include <mutex>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tensorjit;
using namespace tensorjit::testing;

namespace {

std::mutex gateMutex;
std::condition_variable gateChanged;
bool gateIsOpen = true;
std::atomic<int> niceness{-100};

Executable waitAndCompile(const Graph &graph, const CompileOptions &options, CompileReport *report) {
  niceness = getpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)));
  std::unique_lock lock(gateMutex);
  gateChanged.wait(lock, [] { return gateIsOpen; });
  return fakeCompile(graph, options, report);
}

void setGate(bool open) {
  {
    std::lock_guard lock(gateMutex);
    gateIsOpen = open;
  }
  gateChanged.notify_all();
}

struct Background : WithFakeCompiler {
  std::vector<std::string> warnings;
  Options options;
  void SetUp() override {
    WithFakeCompiler::SetUp();
    static const CompilerInterface waiting{CompilerInterface::current, waitAndCompile};
    trace::setCompilerForTest(&waiting);
    set_log_sink([this](std::string_view line) { warnings.emplace_back(line); });
    options.background = true;
    options.name = "f";
    setGate(false);
  }
  void TearDown() override {
    setGate(true);
    set_log_sink({});
    WithFakeCompiler::TearDown();
  }
};

} // namespace

TEST_F(Background, CallsGoOnUntilTheExecutableIsThere) {
  Tensor state = zeros({1});
  auto f = compile(
      [&](const Tensor &x) {
        state.add_(x);
        return state * 2.f;
      },
      options);
  for (int i = 1; i <= 3; ++i) EXPECT_EQ(floats(f(ones({1}))), std::vector<float>{2.f * static_cast<float>(i)});
  CompileStats stats = f.stats();
  EXPECT_EQ(stats.compiles, 0);
  EXPECT_EQ(stats.eager_segments, 3);
  EXPECT_TRUE(warnings.empty());

  setGate(true);
  f.wait_for_compiles();
  for (int i = 4; i <= 6; ++i) EXPECT_EQ(floats(f(ones({1}))), std::vector<float>{2.f * static_cast<float>(i)});
  stats = f.stats();
  EXPECT_EQ(stats.compiles, 1);
  EXPECT_EQ(stats.eager_segments, 3);
  EXPECT_EQ(compiles, 1);
  EXPECT_EQ(niceness, 10);
}

TEST_F(Background, ARefusalIsReportedOnceAndRemembered) {
  failures = 1;
  failure = Failure::Refusal;
  auto f = compile([](const Tensor &x) { return x * 2.f; }, options);
  EXPECT_EQ(floats(f(ones({1}))), std::vector<float>{2});
  setGate(true);
  f.wait_for_compiles();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(floats(f(ones({1}))), std::vector<float>{2});
  EXPECT_EQ(compiles, 0);
  EXPECT_EQ(warnings.size(), 1u);
}

TEST_F(Background, AFailureOfTheEnvironmentIsTriedAgain) {
  failures = 1;
  failure = Failure::Environment;
  setGate(true);
  auto f = compile([](const Tensor &x) { return x * 2.f; }, options);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(floats(f(ones({1}))), std::vector<float>{2});
    f.wait_for_compiles();
  }
  EXPECT_EQ(f.stats().compiles, 1) << f.explain();
  EXPECT_EQ(warnings.size(), 1u);
}

TEST_F(Background, AFunctionMayEndBeforeItsCompile) {
  {
    auto f = compile([](const Tensor &x) { return x * 2.f; }, options);
    f(ones({1}));
  }
  auto g = compile([](const Tensor &x) { return x * 3.f; }, options);
  g(ones({1}));
  setGate(true);
  g.wait_for_compiles();
  EXPECT_EQ(compiles, 2);
  EXPECT_EQ(floats(g(ones({1}))), std::vector<float>{3});
}

TEST_F(Background, ManyThreads) {
  auto f = compile([](const Tensor &x) { return (x * 2.f + 1.f).sum(); }, options);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 60; ++i) {
        const int64_t n = 1 + (i + t) % 3;
        wrong += f(ones({n})).item<float>() != 3.f * static_cast<float>(n);
        if (t == 0 && i == 20) setGate(true);
      }
    });
  for (auto &t : threads) t.join();
  f.wait_for_compiles();
  for (int64_t n = 1; n <= 3; ++n) EXPECT_EQ(f(ones({n})).item<float>(), 3.f * static_cast<float>(n));
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(f.stats().compiles, 3) << f.explain();
  EXPECT_EQ(compiles, 3);
}

// More paths than are remembered while they wait.
TEST_F(Background, ManyPathsAtOnce) {
  auto f = compile([](const Tensor &x) { return (x * 2.f).sum(); }, options);
  auto callAll = [&] {
    for (int64_t n = 1; n <= 100; ++n) EXPECT_EQ(f(ones({n})).item<float>(), 2.f * static_cast<float>(n));
  };
  callAll();
  setGate(true);
  for (int i = 0; i < 4; ++i) {
    f.wait_for_compiles();
    callAll();
  }
  EXPECT_EQ(f.stats().compiles, 100);
}

#ifndef __SANITIZE_THREAD__ // it has no threads in a child
TEST_F(Background, AForkedChildCompilesForItself) {
  auto f = compile([](const Tensor &x) { return x * 2.f; }, options);
  f(ones({1})); // the thread is now in the compiler
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    new (&gateMutex) std::mutex;
    new (&gateChanged) std::condition_variable;
    gateIsOpen = true;
    f.wait_for_compiles();
    bool right = floats(f(ones({1}))) == std::vector<float>{2};
    f.wait_for_compiles();
    right = right && floats(f(ones({1}))) == std::vector<float>{2} && f.stats().compiles == 1;
    _exit(right ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  setGate(true);
  f.wait_for_compiles();
  EXPECT_EQ(floats(f(ones({1}))), std::vector<float>{2});
  EXPECT_EQ(f.stats().compiles, 1);
}
#endif

struct OnMiss : WithFakeCompiler {};

TEST_F(OnMiss, EagerNeverCompiles) {
  Options options;
  options.on_miss = Options::OnMiss::Eager;
  auto f = compile([](const Tensor &x) { return x * 2.f; }, options);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(floats(f(ones({1}))), std::vector<float>{2});
  EXPECT_EQ(compiles, 0);
  EXPECT_NE(f.explain().find("on_miss is Eager"), std::string::npos) << f.explain();
}

TEST_F(OnMiss, ErrorNamesTheLine) {
  Options options;
  options.on_miss = Options::OnMiss::Error;
  options.name = "step";
  auto f = compile([](const Tensor &x) { return x * 2.f; }, options);
  const std::string line = std::to_string(__LINE__ - 1);
  try {
    f(ones({1}));
    FAIL() << "no error";
  } catch (const compile_error &e) {
    EXPECT_NE(std::string(e.what()).find("trace_background.cpp:" + line), std::string::npos) << e.what();
    EXPECT_EQ(std::string(e.what()).find("step"), 0u) << e.what();
  }
}

TEST_F(OnMiss, AFrozenFunctionKeepsWhatItHas) {
  for (auto onMiss : {Options::OnMiss::Compile, Options::OnMiss::Eager}) {
    Options options;
    auto f = compile([](const Tensor &x) { return (x * 2.f).sum(); }, options);
    options.on_miss = onMiss;
    f(ones({1}));
    f.freeze();
    for (int64_t n : {1, 2, 1, 2}) EXPECT_EQ(f(ones({n})).item<float>(), 2.f * static_cast<float>(n));
    EXPECT_EQ(f.stats().compiles, 1);
    EXPECT_EQ(f.stats().eager_segments, 2);
  }
}
