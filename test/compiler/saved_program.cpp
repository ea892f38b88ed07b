/// A saved train step runs in a process that never opens the compiler.
#include "tensorjit/loaded_executable.h"
#include "tensorjit/tensorjit.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tensorjit;

namespace {

bool compilerIsMapped() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find("LLVM") != line.npos || line.find("MLIR") != line.npos ||
        line.find("tensorjit_compiler") != line.npos)
      return true;
  return false;
}

struct Net : nn::Module {
  nn::Conv2d conv{nullptr};
  nn::Linear fc{nullptr};
  Net() {
    conv = register_module("conv", nn::Conv2d(nn::Conv2dOptions(1, 8, 3).padding(1)));
    fc = register_module("fc", nn::Linear(8 * 4 * 4, 10));
  }
  Tensor forward(const Tensor &x) { return fc(flatten(max_pool2d(relu(conv(x)), 2), 1)); }
};

/// Everything from fixed seeds, so that two processes see the same.
struct SavedTraining {
  Net net;
  optim::SGD sgd;
  SavedTraining() : sgd((manual_seed(1), net.parameters()), optim::SGDOptions(0.05).momentum(0.9)) {
    NoGradGuard guard;
    for (Tensor &p : net.parameters()) p.uniform_(-0.2, 0.2);
  }
  Tensor step(const Tensor &x, const Tensor &y) {
    Tensor loss = cross_entropy(net.forward(x), y);
    sgd.zero_grad();
    loss.backward();
    sgd.step();
    return loss.detach();
  }
};

std::pair<Tensor, Tensor> batch(int64_t i) {
  manual_seed(static_cast<uint64_t>(100 + i));
  Tensor x = rand({16, 1, 8, 8}), y = randint(0, 10, {16});
  return {x, y};
}

} // namespace

TEST(SavedProgram, RunsATrainStepWithoutMappingTheCompiler) {
  std::string path = std::filesystem::temp_directory_path() / ("tensorjit-step-" + std::to_string(getpid()));
  pid_t child = fork();
  if (child == 0) {
    Options options;
    options.strict = true;
    SavedTraining training;
    auto compiled = compile([&](const Tensor &x, const Tensor &y) { return training.step(x, y); }, options);
    auto [x, y] = batch(0);
    try {
      compiled(x, y); // the first step differs: it starts the momentum
      auto [x1, y1] = batch(1);
      compiled.save(path, x1, y1);
    } catch (const Error &e) {
      std::fprintf(stderr, "%s\n", e.what());
      _exit(1);
    }
    _exit(compilerIsMapped() ? 0 : 2);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  ASSERT_EQ(WEXITSTATUS(status), 0);

  LoadedExecutable loaded(path);
  SavedTraining eager;
  auto [x0, y0] = batch(0);
  for (int64_t i = 0; i < 6; ++i) {
    auto [x, y] = batch(i);
    if (i < 2) {
      eager.step(x, y); // the saved state is what the call left
      continue;
    }
    float want = eager.step(x, y).item<float>(), got = loaded.run({x, y})[0].item<float>();
    EXPECT_NEAR(got, want, 1e-4 * (1 + std::abs(want))) << "step " << i;
  }
  EXPECT_THROW(loaded.run({x0, full({16}, 10, kInt64)}), index_error);
  EXPECT_FALSE(compilerIsMapped());
  std::filesystem::remove(path);
}
