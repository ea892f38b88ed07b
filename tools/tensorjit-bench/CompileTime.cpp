// From the first call of a compiled training step to its result, and where the time goes.
#include "Benchmarks.h"
#include "SmallCNN.h"
#include "Summary.h"

#include <cstdio>

namespace tensorjit::bench {
namespace {

CompileStats lastStats;

void coldCompile(benchmark::State &state) {
  for (auto _ : state) {
    SmallCNN model;
    optim::SGD sgd(model.parameters(), optim::SGDOptions(0.05).momentum(0.9));
    Tensor x = rand({128, 1, 28, 28}), y = randint(0, 10, {128});
    auto step = tensorjit::compile([&](const Tensor &images, const Tensor &classes) {
      auto loss = nn::functional::cross_entropy(model.forward(images), classes);
      sgd.zero_grad();
      loss.backward();
      sgd.step();
      return loss;
    });
    step(x, y).data_ptr();
    lastStats = step.stats();
    state.SetIterationTime(lastStats.compile_seconds);
    double &best = times().emplace("ColdCompile/train_step", 1e9).first->second;
    best = std::min(best, lastStats.compile_seconds);
  }
}

std::string stages() {
  if (lastStats.stage_seconds.empty()) return "";
  std::string out = "Stages of a cold compile:";
  for (auto &[name, seconds] : lastStats.stage_seconds) {
    char text[80];
    std::snprintf(text, sizeof text, "  %s %.1f ms", name.c_str(), seconds * 1e3);
    out += text;
  }
  return out;
}

} // namespace

void registerCompileTime() {
  benchmark::RegisterBenchmark("ColdCompile/train_step", coldCompile)
      ->Unit(benchmark::kMillisecond)
      ->Iterations(1)
      ->Repetitions(3)
      ->UseManualTime();
  addSummaryLine("SmallCNN train step, cold compile", "at most 0.40 s",
                 [](const Times &t) -> std::optional<std::string> {
                   auto at = t.find("ColdCompile/train_step");
                   if (at == t.end()) return std::nullopt;
                   char text[32];
                   std::snprintf(text, sizeof text, "%.3f s", at->second);
                   return text;
                 });
  addNote(stages);
}

} // namespace tensorjit::bench
