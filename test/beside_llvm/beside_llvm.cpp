// A program that uses an LLVM and MLIR of its own, before, after and while TensorJIT compiles.
#include "OwnLlvm.h"

#include <tensorjit/tensorjit.h>

#include <atomic>
#include <cstdio>
#include <thread>

namespace tj = tensorjit;

static bool compileAndRun(float factor) {
  tj::Options options;
  options.strict = true;
  auto f = tj::compile([=](const tj::Tensor &x) { return (x * factor + 1.f).sum(); }, options);
  REQUIRE(f(tj::ones({100})).item() == 100 * factor + 100);
  REQUIRE(f.stats().compiles == 1);
  return true;
}

int main(int argc, char **argv) {
  bool ok = readOwnOptions(argc, argv) && useOwnLlvm() && compileAndRun(2) && useOwnLlvm();
  std::atomic<bool> other{true};
  std::thread thread([&] {
    for (int i = 0; i < 10; ++i) other = other && useOwnLlvm();
  });
  for (int i = 0; i < 5; ++i) ok = ok && compileAndRun(static_cast<float>(3 + i));
  thread.join();
  return ok && other ? 0 : 1;
}
