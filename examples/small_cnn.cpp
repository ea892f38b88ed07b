// Trains a small convolutional network on Fashion-MNIST, compiled or eager, and tests it.
#include "SmallCNN.h"
#include "TrainOptions.h"

#include <chrono>
#include <cstdio>
#include <tensorjit/tensorjit.h>
#include <unistd.h>

namespace tj = tensorjit;
namespace F = tj::nn::functional;
using Clock = std::chrono::steady_clock;

namespace {

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Mean loss and rate of an epoch that is under way, on one line of a terminal.
class Progress {
public:
  Progress(int64_t epoch, int64_t batches) : epoch_(epoch), batches_(batches) {}

  void step(const tj::Tensor &loss, int64_t images) {
    images_ += images;
    ++done_;
    // Reading a loss waits for it and ends a recording, so only some are read.
    if (done_ % 50 != 0 && done_ != batches_) return;
    last_ = loss.item<double>();
    if (isatty(STDERR_FILENO)) print("\r");
  }
  void finish() const { print("\n"); }
  double seconds() const { return since(start_); }
  int64_t images() const { return images_; }

private:
  void print(const char *end) const {
    std::fprintf(stderr, "\repoch %lld  %3.0f %%  loss %.4f  %.0f images/s%s", static_cast<long long>(epoch_ + 1),
                 100.0 * static_cast<double>(done_) / static_cast<double>(batches_), last_,
                 static_cast<double>(images_) / seconds(), end);
  }

  int64_t epoch_, batches_, done_ = 0, images_ = 0;
  double last_ = 0;
  Clock::time_point start_ = Clock::now();
};

template <class Forward> double accuracy(Forward &forward, tj::data::DataLoader &loader, tj::Device device) {
  tj::NoGradGuard noGrad;
  int64_t right = 0, all = 0;
  for (auto [x, y] : loader) {
    right += forward(x.to(device)).argmax(1).eq(y.to(device)).sum().template item<int64_t>();
    all += y.size(0);
  }
  return all ? static_cast<double>(right) / static_cast<double>(all) : 0;
}

/// Seconds and images of all epochs.
template <class Step>
std::pair<double, int64_t> train(const TrainOptions &options, tj::data::DataLoader &loader, Step step) {
  const tj::Device device(options.device);
  double seconds = 0;
  int64_t images = 0;
  for (int64_t epoch = 0; epoch < options.epochs; ++epoch) {
    Progress progress(epoch, loader.size());
    for (auto [x, y] : loader) progress.step(step(x.to(device), y.to(device)), y.size(0));
    progress.finish();
    seconds += progress.seconds();
    images += progress.images();
  }
  return {seconds, images};
}

void run(const TrainOptions &options) {
  tj::data::datasets::FashionMNIST trainSet(options.data, true), testSet(options.data, false);
  tj::manual_seed(options.seed);
  SmallCNN model;
  const tj::Device device(options.device);
  model.to(device);
  tj::optim::SGD sgd(model.parameters(), tj::optim::SGDOptions(0.05).momentum(0.9));
  auto trainLoader =
      tj::data::make_data_loader(std::move(trainSet), tj::data::DataLoaderOptions()
                                                          .batch_size(options.batch)
                                                          .shuffle(true)
                                                          .seed(options.seed)
                                                          .num_workers(static_cast<int>(options.workers)));
  auto testLoader = tj::data::make_data_loader(
      std::move(testSet),
      tj::data::DataLoaderOptions().batch_size(1000).num_workers(static_cast<int>(options.workers)));

  auto update = [&](auto &forward, const tj::Tensor &x, const tj::Tensor &y) {
    auto loss = F::cross_entropy(forward(x), y);
    sgd.zero_grad();
    loss.backward();
    sgd.step();
    return loss;
  };
  auto eager = [&](const tj::Tensor &x) { return model.forward(x); };
  auto compiled = tj::compile(model);
  auto wholeStep = tj::compile([&](const tj::Tensor &x, const tj::Tensor &y) { return update(eager, x, y); });

  std::pair<double, int64_t> result;
  double right = 0;
  tj::CompileStats stats;
  auto count = [&](const tj::CompileStats &more) {
    stats.compile_seconds += more.compile_seconds;
    stats.compiles += more.compiles;
    stats.cache_hits += more.cache_hits;
    stats.graph_breaks += more.graph_breaks;
  };
  if (options.eager) {
    result = train(options, *trainLoader, [&](auto x, auto y) { return update(eager, x, y); });
    right = accuracy(eager, *testLoader, device);
  } else {
    if (options.wholeStep) result = train(options, *trainLoader, wholeStep);
    else result = train(options, *trainLoader, [&](auto x, auto y) { return update(compiled, x, y); });
    right = accuracy(compiled, *testLoader, device);
    count(compiled.stats());
    count(wholeStep.stats());
  }

  auto [seconds, images] = result;
  std::printf("accuracy          %.4f\n", right);
  std::printf("seconds an epoch  %.2f\n", options.epochs ? seconds / static_cast<double>(options.epochs) : 0.0);
  std::printf("images a second   %.0f\n", seconds > 0 ? static_cast<double>(images) / seconds : 0.0);
  std::printf("compile time      %.2f s\n", stats.compile_seconds);
  std::printf("compiles          %lld\n", static_cast<long long>(stats.compiles));
  std::printf("from disk         %lld\n", static_cast<long long>(stats.cache_hits));
  std::printf("graph breaks      %lld\n", static_cast<long long>(stats.graph_breaks));
}

} // namespace

int main(int argc, char **argv) {
  TrainOptions options;
  if (auto exit = parseTrainOptions(argc, argv, options)) return *exit;
  try {
    run(options);
  } catch (const std::exception &e) {
    std::fprintf(stderr, "small_cnn: %s\n", e.what());
    return 1;
  }
}
