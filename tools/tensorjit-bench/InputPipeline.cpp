// An epoch of training whose batches a DataLoader prepares beside it, against the same epoch with its batches in
// memory.
#include "Benchmarks.h"
#include "SmallCNN.h"
#include "Summary.h"

#include <vector>

namespace tensorjit::bench {
namespace {

constexpr int64_t batchSize = 128, numBatches = 12;

/// Images as a decoder leaves them, bytes, which become floats example by example.
class Images : public data::Dataset {
public:
  data::Example get(int64_t i) override {
    NoGradGuard noGrad;
    return {bytes_.select(0, i).to(kFloat32) * (1 / 255.f), classes_.select(0, i)};
  }
  int64_t size() const override { return batchSize * numBatches; }

private:
  Tensor bytes_ = randint(0, 256, {batchSize * numBatches, 1, 28, 28}, kUInt8);
  Tensor classes_ = randint(0, 10, {batchSize * numBatches});
};

/// How much longer an epoch with the loader takes, in each round.
std::vector<double> &ratios() {
  static std::vector<double> all;
  return all;
}

/// Rounds of two epochs with the loader between two from memory: a machine that changes its speed from one second to
/// the next then changes both sides of a ratio.
void epochs(benchmark::State &state) {
  auto images = std::make_shared<Images>();
  auto options = data::DataLoaderOptions().batch_size(batchSize).shuffle(true);
  std::vector<std::pair<Tensor, Tensor>> preloaded;
  for (auto loader = data::make_data_loader(images, options); const auto &[x, y] : *loader)
    preloaded.emplace_back(x.clone(), y.clone());
  auto loader = data::make_data_loader(images, options.num_workers(2).persistent_workers(true));

  SmallCNN model;
  optim::SGD sgd(model.parameters(), optim::SGDOptions(0.05).momentum(0.9));
  auto step = tensorjit::compile([&](const Tensor &x, const Tensor &y) {
    auto loss = nn::functional::cross_entropy(model.forward(x), y);
    sgd.zero_grad();
    loss.backward();
    sgd.step();
    return loss;
  });
  auto train = [&](auto &&batches) {
    for (auto &&[x, y] : batches) benchmark::DoNotOptimize(step(x, y).data_ptr());
  };
  auto fromMemory = [&] { return secondsOf([&] { train(preloaded); }); };
  auto fromLoader = [&] { return secondsOf([&] { train(*loader); }); };
  fromMemory(); // compiles
  fromLoader();
  for (auto _ : state) {
    const double memory = fromMemory(), loaders = fromLoader() + fromLoader();
    ratios().push_back(loaders / (memory + fromMemory()));
  }
}

} // namespace

void registerInputPipeline() {
  benchmark::RegisterBenchmark("Epoch/preloaded_and_loader", epochs)
      ->Unit(benchmark::kMillisecond)
      ->MinTime(10.0)
      ->UseRealTime();
  addSummaryLine("An epoch of SmallCNN, loader of 2 workers / preloaded", "at most 1.03x",
                 [](auto &) { return medianOf(ratios()); });
}

} // namespace tensorjit::bench
