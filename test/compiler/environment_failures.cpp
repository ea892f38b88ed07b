// A disk that is full or cannot be written, no memory and no threads while the compiler works: the call runs with eager
// kernels, nothing of the failure is kept, and the next call compiles (CG-11).
#include "tensorjit/tensorjit.h"
#include "trace/CompilerLoader.h"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace tensorjit;

namespace {

struct EnvironmentFailure : testing::Test {
  std::vector<std::string> warnings;
  void SetUp() override {
    set_log_sink([this](std::string_view line) { warnings.emplace_back(line); });
  }
  void TearDown() override { set_log_sink(nullptr); }

  template <class Break, class Mend> void expectRetry(Break breakIt, Mend mendIt) {
    auto f = compile([](const Tensor &x) { return (x * 2.f).sum(); });
    breakIt();
    EXPECT_EQ(f(ones({3})).item(), 6);
    EXPECT_EQ(f(ones({3})).item(), 6);
    mendIt();
    EXPECT_EQ(f.stats().compiles, 0);
    EXPECT_FALSE(warnings.empty());
    EXPECT_EQ(f(ones({3})).item(), 6);
    EXPECT_EQ(f.stats().compiles, 1) << f.explain();
  }
};

} // namespace

TEST_F(EnvironmentFailure, NoTemporaryFolder) {
  const char *before = std::getenv("TMPDIR");
  const std::string folder = before ? before : "/tmp";
  expectRetry([] { setenv("TMPDIR", "/proc/none", 1); }, [&] { setenv("TMPDIR", folder.c_str(), 1); });
}

TEST_F(EnvironmentFailure, FullDisk) {
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_IGN);
  expectRetry(
      [&] {
        rlimit small{100, before.rlim_max};
        setrlimit(RLIMIT_FSIZE, &small);
      },
      [&] { setrlimit(RLIMIT_FSIZE, &before); });
  std::signal(SIGXFSZ, SIG_DFL);
}

// Nothing depends on a dump: one warning with the path and the reason, and the compile goes on.
TEST_F(EnvironmentFailure, DumpsCannotBeWritten) {
  Options options;
  for (const char *folder : {"/proc/none", "/dev/null"}) {
    options.dump = folder;
    auto f = compile([](const Tensor &x) { return (x * 2.f).sum(); }, options);
    EXPECT_EQ(f(ones({3})).item(), 6);
    EXPECT_EQ(f.stats().compiles, 1) << f.explain();
  }
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("/proc/none"), std::string::npos) << warnings[0];
}

TEST_F(EnvironmentFailure, TheLogCannotBeWritten) {
  set_log_sink(nullptr); // to the standard error output
  const int before = dup(STDERR_FILENO), full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  dup2(full, STDERR_FILENO);
  Options options;
  options.fail_compile = Options::Failure::Refusal;
  auto f = compile([](const Tensor &x) { return (x * 2.f).sum(); }, options);
  double result = 0;
  EXPECT_NO_THROW(result = f(ones({3})).item()); // and a warning that is lost
  dup2(before, STDERR_FILENO);
  close(before);
  close(full);
  EXPECT_EQ(result, 6);
}

TEST_F(EnvironmentFailure, NoThreads) {
  pthread_attr_t before, huge;
  pthread_getattr_default_np(&before);
  pthread_attr_init(&huge);
  pthread_attr_setstacksize(&huge, size_t(1) << 50); // more than there are addresses
  expectRetry([&] { pthread_setattr_default_np(&huge); }, [&] { pthread_setattr_default_np(&before); });
}

namespace {
std::atomic<CompileOptions::Failure> injected{CompileOptions::Failure::None};
const CompilerInterface *real = nullptr;

Executable compileWithFailure(const Graph &graph, const CompileOptions &options, CompileReport *report) {
  CompileOptions failing = options;
  failing.failForTest = injected;
  return real->compile(graph, failing, report);
}
} // namespace

TEST_F(EnvironmentFailure, LlvmHasNoMemory) {
  real = trace::compiler(nullptr);
  ASSERT_TRUE(real);
  static const CompilerInterface wrapped{CompilerInterface::current, compileWithFailure};
  trace::setCompilerForTest(&wrapped);
  expectRetry([] { injected = CompileOptions::Failure::OutOfMemory; },
              [] { injected = CompileOptions::Failure::None; });
  trace::setCompilerForTest(nullptr);
}
