// Where LLVM gives up inside the linker, the process goes on: that compile and the later ones are refused with a
// reason.
#include "cpu/Linker.h"

#include "llvm/Support/ErrorHandling.h"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <tensorjit/tensorjit.h>
#include <thread>
#include <unistd.h>

namespace tensorjit::cpu::test {
namespace {

std::string messageOfCompile(float factor) {
  Options strict;
  strict.strict = true;
  auto f = compile([=](const Tensor &x) { return (x * factor).exp(); }, strict);
  try {
    f(ones({8}));
  } catch (const compile_error &e) {
    return e.what();
  }
  return "compiled";
}

void expectIn(const std::string &text, const std::string &part) {
  if (text.find(part) != text.npos) return;
  std::fprintf(stderr, "no '%s' in: %s\n", part.c_str(), text.c_str());
  std::_Exit(1);
}

/// In a process of its own, since no link succeeds in it any more. It ends after a minute where a link waits for ever.
[[noreturn]] void failInsideTheLinker(const std::string &folder) {
  alarm(60);
  setenv("TMPDIR", folder.c_str(), 1);
  std::filesystem::create_directories(folder);
  insideLinkForTest = [] { llvm::report_fatal_error("injected into the linker"); };
  expectIn(messageOfCompile(2), "injected into the linker");
  insideLinkForTest = nullptr;
  std::string other;
  std::thread thread([&] { other = messageOfCompile(4); });
  expectIn(messageOfCompile(3), "the linker failed earlier");
  thread.join();
  expectIn(other, "the linker failed earlier");
  auto eager = compile([](const Tensor &x) { return x + 5.f; });
  if (eager(ones({2})).sum().item() != 12) std::_Exit(2);
  if (!std::filesystem::is_empty(folder)) std::_Exit(3); // what was to be linked has been removed
  std::_Exit(0);
}

TEST(Linker, LaterLinksAreRefusedAfterAFatalError) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::string folder = testing::TempDir() + "linker-test-" + std::to_string(getpid());
  EXPECT_EXIT(failInsideTheLinker(folder), testing::ExitedWithCode(0), "");
  std::filesystem::remove_all(folder);
}

} // namespace
} // namespace tensorjit::cpu::test
