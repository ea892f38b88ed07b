#pragma once
/// A bit of everything that the library does, for programs that look at what that does to the process.
#include <tensorjit/tensorjit.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

namespace tj = tensorjit;

/// Ends the program at once: the checks also run where `exit` may not be called.
#define REQUIRE(condition)                                                                                             \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      std::fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                   \
      _exit(1);                                                                                                        \
    }                                                                                                                  \
  } while (false)

/// Runs the body in a forked child, which ends as it should.
template <class F> void inChild(F body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    body();
    std::exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/// Whether the process has opened a library with this in its path.
inline bool isMapped(std::string_view library) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find(library) != line.npos) return true;
  return false;
}

inline tj::Options testOptions() {
  tj::Options options;
#ifdef TENSORJIT_TEST_COMPILER
  options.strict = true;
#else
  options.mode = tj::Options::Mode::NoCodegen;
#endif
  return options;
}

struct Work {
  struct Numbers : tj::data::Dataset {
    tj::data::Example get(int64_t i) override { return {tj::full({4}, static_cast<float>(i)), tj::tensor(i)}; }
    int64_t size() const override { return 8; }
  };

  tj::nn::Conv2d conv{tj::nn::Conv2dOptions(1, 2, 3)};
  tj::Tensor big = tj::ones({1 << 20});
  tj::CompiledFunction<tj::Tensor (*)(const tj::Tensor &)> compiled = tj::compile(
      +[](const tj::Tensor &x) { return (x * 2.f + 1.f).sum(); }, testOptions());
  std::unique_ptr<tj::data::DataLoader> loader =
      tj::data::make_data_loader(Numbers(), tj::data::DataLoaderOptions().batch_size(2).num_workers(2));

  void run() {
    REQUIRE((big + big).sum().item() == 2 << 20);                                             // the pool
    REQUIRE(tj::matmul(tj::ones({64, 64}), tj::ones({64, 64})).sum().item() == 64 * 64 * 64); // oneDNN
    REQUIRE(conv->forward(tj::zeros({1, 1, 8, 8})).size(2) == 6);
    REQUIRE(compiled(big).item() == 3 << 20);
    double sum = 0;
    for (auto [x, y] : *loader) sum += x.sum().item();
    REQUIRE(sum == 4 * 28);
    tj::Tensor w = tj::ones({3}).requires_grad_();
    (w * w).sum().backward();
    REQUIRE(w.grad().sum().item() == 6);
  }
};
