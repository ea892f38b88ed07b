// A saved train step runs in a process that never opens the compiler.
#include "Work.h"

#include <tensorjit/loaded_executable.h>

#include <cmath>
#include <filesystem>
#include <string>

static bool llvmIsMapped() { return isMapped("libLLVM") || isMapped("libMLIR"); }

struct Net : tj::nn::Module {
  tj::nn::Conv2d conv{nullptr};
  tj::nn::Linear fc{nullptr};
  Net() {
    conv = register_module("conv", tj::nn::Conv2d(tj::nn::Conv2dOptions(1, 8, 3).padding(1)));
    fc = register_module("fc", tj::nn::Linear(8 * 4 * 4, 10));
  }
  tj::Tensor forward(const tj::Tensor &x) { return fc(flatten(max_pool2d(relu(conv(x)), 2), 1)); }
};

/// Everything from fixed seeds, so that two processes see the same.
struct Training {
  Net net;
  tj::optim::SGD sgd;
  Training() : sgd((tj::manual_seed(1), net.parameters()), tj::optim::SGDOptions(0.05).momentum(0.9)) {
    tj::NoGradGuard guard;
    for (tj::Tensor &p : net.parameters()) p.uniform_(-0.2, 0.2);
  }
  tj::Tensor step(const tj::Tensor &x, const tj::Tensor &y) {
    tj::Tensor loss = cross_entropy(net.forward(x), y);
    sgd.zero_grad();
    loss.backward();
    sgd.step();
    return loss.detach();
  }
};

static std::pair<tj::Tensor, tj::Tensor> batch(int64_t i) {
  tj::manual_seed(static_cast<uint64_t>(100 + i));
  tj::Tensor x = tj::rand({16, 1, 8, 8}), y = tj::randint(0, 10, {16});
  return {x, y};
}

static void compileAndSave(const std::string &path) {
  Training training;
  auto compiled =
      tj::compile([&](const tj::Tensor &x, const tj::Tensor &y) { return training.step(x, y); }, testOptions());
  auto [x, y] = batch(0);
  compiled(x, y); // the first step differs: it starts the momentum
  auto [x1, y1] = batch(1);
  compiled.save(path, x1, y1);
  const char *chosen = std::getenv("TENSORJIT_COMPILER"); // one that has LLVM inside
  REQUIRE(isMapped(chosen ? chosen : "libtensorjit_compiler"));
  REQUIRE(llvmIsMapped() == !chosen);
}

static bool indexErrorFrom(tj::LoadedExecutable &loaded, const tj::Tensor &x, const tj::Tensor &y) {
  try {
    loaded.run({x, y});
  } catch (const tj::index_error &) {
    return true;
  }
  return false;
}

int main() {
  const std::string path = std::filesystem::temp_directory_path() / ("tensorjit-step-" + std::to_string(getpid()));
  inChild([&] { compileAndSave(path); });

  tj::LoadedExecutable loaded(path);
  std::filesystem::remove(path);
  Training eager;
  for (int64_t i = 0; i < 6; ++i) {
    auto [x, y] = batch(i);
    const float want = eager.step(x, y).item<float>();
    if (i < 2) continue; // the saved state is what the call left
    const float got = loaded.run({x, y})[0].item<float>();
    REQUIRE(std::abs(got - want) <= 1e-4F * (1 + std::abs(want)));
  }
  REQUIRE(indexErrorFrom(loaded, batch(0).first, tj::full({16}, 10, tj::kInt64)));
  REQUIRE(!isMapped("tensorjit_compiler") && !llvmIsMapped());
}
