// What one process has compiled, the next one runs without opening the compiler: right values, errors with the lines of
// its own source, whatever many processes do at once, and whatever has become of the files.
#include "Work.h"

#include <cmath>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace fs = std::filesystem;

static tj::CompileStats trainAndLookUp() {
  tj::manual_seed(1);
  tj::Tensor w = tj::full({8, 3}, 0.5).requires_grad_();
  auto step = tj::compile(
      [&](const tj::Tensor &x) {
        tj::Tensor loss = (matmul(x, w).tanh() * 2.F).sum();
        loss.backward();
        return loss.detach();
      },
      testOptions());
  const float loss = step(tj::full({4, 8}, 0.25)).item<float>();
  REQUIRE(std::abs(loss - 24 * std::tanh(1.F)) < 1e-5F);
  REQUIRE(std::abs(w.grad().sum().item<float>() - 24 * 2 * (1 - std::pow(std::tanh(1.F), 2))) < 1e-4F);
  return step.stats();
}

/// Two functions that differ in nothing but their lines.
static void expectLine(const std::function<tj::Tensor(const tj::Tensor &, const tj::Tensor &)> &f, int line) {
  std::string error;
  try {
    f(tj::ones({5, 2}), tj::full({1}, 7, tj::kInt64));
  } catch (const tj::index_error &e) {
    error = e.what();
  }
  REQUIRE(error.find("disk_cache.cpp:" + std::to_string(line)) != error.npos);
}
static int64_t lookUpAtTwoLines() {
  auto first =
      tj::compile([](const tj::Tensor &x, const tj::Tensor &i) { return index_select(x, 0, i); }, testOptions());
  expectLine(first, __LINE__ - 1);
  auto second = tj::compile(
      [](const tj::Tensor &x, const tj::Tensor &i) {
        return index_select(x, 0, i); // line
      },
      testOptions());
  expectLine(second, __LINE__ - 3);
  return first.stats().cache_hits + second.stats().cache_hits;
}

static std::vector<fs::path> entries(const fs::path &folder) {
  std::vector<fs::path> files;
  for (auto &file : fs::directory_iterator(folder)) files.push_back(file.path());
  return files;
}

int main() {
  const fs::path folder = fs::temp_directory_path() / ("tensorjit-cache-" + std::to_string(getpid()));
  setenv("TENSORJIT_CACHE_DIR", folder.c_str(), 1);

  std::vector<pid_t> children; // that begin at once
  for (int i = 0; i < 6; ++i) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    for (int times = 0; times < 2; ++times) trainAndLookUp();
    std::exit(0);
  }
  for (pid_t child : children) {
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  inChild([] {
    const tj::CompileStats stats = trainAndLookUp();
    REQUIRE(stats.compiles == 0 && stats.cache_hits > 0);
    REQUIRE(!isMapped("tensorjit_compiler") && !isMapped("libLLVM") && !isMapped("libMLIR"));
  });
  inChild([] { REQUIRE(lookUpAtTwoLines() == 1); });
  inChild([] { REQUIRE(lookUpAtTwoLines() == 2); });

  // Without it, and with a dump, which shows the stages.
  inChild([&] {
    const auto before = entries(folder).size();
    tj::Options options = testOptions();
    options.cache = false;
    auto f = tj::compile([](const tj::Tensor &x) { return x * 3.F + 2.F; }, options);
    REQUIRE(f(tj::ones({3})).sum().item() == 15 && f.stats().compiles == 1);
    options.cache = true;
    options.dump = (folder.string() + "-dump");
    auto g = tj::compile([](const tj::Tensor &x) { return x * 3.F + 2.F; }, options);
    REQUIRE(g(tj::ones({3})).sum().item() == 15 && g.stats().compiles == 1);
    REQUIRE(!fs::is_empty(options.dump) && entries(folder).size() == before);
    fs::remove_all(options.dump);
  });

  // Without a home nothing is kept, and nothing is said.
  inChild([&] {
    unsetenv("TENSORJIT_CACHE_DIR");
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", (folder.string() + "-none").c_str(), 1);
    std::vector<std::string> lines;
    tj::set_log_sink([&](std::string_view line) { lines.emplace_back(line); });
    REQUIRE(trainAndLookUp().compiles > 0);
    REQUIRE(lines.empty() && !fs::exists(folder.string() + "-none"));
  });

  for (const fs::path &file : entries(folder)) fs::resize_file(file, fs::file_size(file) / 2);
  inChild([] {
    std::vector<std::string> lines;
    tj::set_log_sink([&](std::string_view line) { lines.emplace_back(line); });
    const tj::CompileStats stats = trainAndLookUp();
    REQUIRE(stats.compiles > 0 && stats.cache_hits == 0);
    REQUIRE(static_cast<int64_t>(lines.size()) == stats.compiles && lines[0].find("dropped") != lines[0].npos);
  });
  inChild([] { REQUIRE(trainAndLookUp().compiles == 0); });
  fs::remove_all(folder);
}
