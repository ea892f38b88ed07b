// A training step of SmallCNN on a batch of 128: forward, backward and update.
#include "Benchmarks.h"
#include "SmallCNN.h"
#include "Summary.h"

#include <vector>

namespace tensorjit::bench {
namespace {

struct Training {
  SmallCNN model;
  optim::SGD sgd{model.parameters(), optim::SGDOptions(0.05).momentum(0.9)};
  Tensor x = rand({128, 1, 28, 28}), y = randint(0, 10, {128});

  template <class Forward> Tensor step(Forward &forward, const Tensor &images, const Tensor &classes) {
    auto loss = nn::functional::cross_entropy(forward(images), classes);
    sgd.zero_grad();
    loss.backward();
    sgd.step();
    return loss;
  }
};

/// Eager against the model compiled, and against the whole step as one graph, in each round.
struct StepRatios {
  std::vector<double> model, wholeStep;
};
StepRatios &stepRatios() {
  static StepRatios all;
  return all;
}

/// Rounds of some steps eager, with the model compiled, and compiled as one graph.
void trainSteps(benchmark::State &state) {
  constexpr int stepsInRound = 4;
  Training eager, model, whole;
  auto plain = [](Training &t) { return [&t](const Tensor &x) { return t.model.forward(x); }; };
  auto compiledModel = tensorjit::compile(model.model);
  auto compiledStep = tensorjit::compile(
      [forward = plain(whole), &whole](const Tensor &x, const Tensor &y) mutable { return whole.step(forward, x, y); });
  auto seconds = [](auto &&step) {
    return secondsOf([&] {
      for (int i = 0; i < stepsInRound; ++i) benchmark::DoNotOptimize(step().data_ptr());
    });
  };
  auto runEager = [&, forward = plain(eager)]() mutable { return eager.step(forward, eager.x, eager.y); };
  auto runModel = [&] { return model.step(compiledModel, model.x, model.y); };
  auto runWhole = [&] { return compiledStep(whole.x, whole.y); };
  seconds(runEager), seconds(runModel), seconds(runWhole); // compile
  double sums[3] = {};
  for (auto _ : state) {
    const double times[] = {seconds(runEager), seconds(runModel), seconds(runWhole)};
    stepRatios().model.push_back(times[0] / times[1]);
    stepRatios().wholeStep.push_back(times[0] / times[2]);
    for (int i = 0; i < 3; ++i) sums[i] += times[i];
  }
  const char *names[] = {"eager_ms", "compiled_model_ms", "whole_step_ms"};
  for (int i = 0; i < 3; ++i)
    state.counters[names[i]] = 1e3 * sums[i] / (stepsInRound * static_cast<double>(state.iterations()));
}

} // namespace

void registerTrainStep() {
  benchmark::RegisterBenchmark("TrainStep/eager_model_and_whole_step", trainSteps)
      ->Unit(benchmark::kMillisecond)
      ->MinTime(6.0)
      ->UseRealTime();
  addSummaryLine("SmallCNN train step, eager / compiled model", "",
                 [](auto &) { return medianOf(stepRatios().model); });
  addSummaryLine("SmallCNN train step, eager / whole step compiled", "at least 1.5x",
                 [](auto &) { return medianOf(stepRatios().wholeStep); });
}

} // namespace tensorjit::bench
