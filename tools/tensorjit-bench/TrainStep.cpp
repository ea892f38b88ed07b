// A training step of SmallCNN on a batch of 128: forward, backward and update.
#include "Benchmarks.h"
#include "SmallCNN.h"
#include "Summary.h"

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

template <class Step> void measure(benchmark::State &state, const std::string &name, Step step) {
  for (int i = 0; i < 3; ++i) step(); // compiles
  measureBest(state, name, [&] { benchmark::DoNotOptimize(step().data_ptr()); });
}

void eager(benchmark::State &state) {
  Training t;
  auto forward = [&](const Tensor &x) { return t.model.forward(x); };
  measure(state, "TrainStep/eager", [&] { return t.step(forward, t.x, t.y); });
}

void compiledModel(benchmark::State &state) {
  Training t;
  auto forward = tensorjit::compile(t.model);
  measure(state, "TrainStep/compiled_model", [&] { return t.step(forward, t.x, t.y); });
}

void wholeStep(benchmark::State &state) {
  Training t;
  auto forward = [&](const Tensor &x) { return t.model.forward(x); };
  auto step = tensorjit::compile([&](const Tensor &x, const Tensor &y) { return t.step(forward, x, y); });
  measure(state, "TrainStep/whole_step", [&] { return step(t.x, t.y); });
}

} // namespace

void registerTrainStep() {
  using benchmark::RegisterBenchmark;
  using Function = void (*)(benchmark::State &);
  for (auto [name, function] : {std::pair<const char *, Function>{"TrainStep/eager", eager},
                                {"TrainStep/compiled_model", compiledModel},
                                {"TrainStep/whole_step", wholeStep}})
    RegisterBenchmark(name, function)->Unit(benchmark::kMillisecond)->MinTime(2.0)->UseRealTime();
  addSummaryLine("SmallCNN train step, eager / compiled model", "",
                 [](auto &t) { return ratio(t, "TrainStep/eager", "TrainStep/compiled_model"); });
  addSummaryLine("SmallCNN train step, eager / whole step compiled", "at least 1.5x",
                 [](auto &t) { return ratio(t, "TrainStep/eager", "TrainStep/whole_step"); });
}

} // namespace tensorjit::bench
