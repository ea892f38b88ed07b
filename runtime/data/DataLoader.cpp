#include "tensorjit/data/dataloader.h"
#include "data/Epoch.h"
#include "data/Workers.h"
#include "tensorjit/cuda.h"

#include <string>

namespace tensorjit::data {
namespace {

void require(bool ok, const char *option, const char *accepted, int64_t got) {
  if (!ok)
    throw value_error("DataLoader: " + std::string(option) + " must be " + accepted + ", got " + std::to_string(got));
}

std::shared_ptr<const Sampler> chooseSampler(const DataLoaderOptions &options) {
  if (options.sampler()) return options.sampler();
  if (options.shuffle()) return std::make_shared<RandomSampler>(options.seed());
  return std::make_shared<SequentialSampler>();
}

} // namespace

/// Holds the epoch's threads, or leaves them to the loader when they persist.
struct DataLoader::Iterator::State {
  std::shared_ptr<Epoch> epoch;
  std::shared_ptr<Workers> workers;
  std::optional<Example> batch;

  State(std::shared_ptr<Epoch> e, std::shared_ptr<Workers> w) : epoch(std::move(e)), workers(std::move(w)) {
    if (workers) workers->run([epoch = epoch] { epoch->work(); });
  }
  ~State() { epoch->cancel(); }
};

struct DataLoader::Impl {
  std::shared_ptr<BatchDataset> dataset;
  DataLoaderOptions options;
  std::shared_ptr<const Sampler> sampler;
  std::shared_ptr<BatchMemory> memory;
  std::shared_ptr<Workers> persistent;
  std::shared_ptr<Epoch> last;
  uint64_t nextEpoch = 0;

  std::shared_ptr<Workers> workers() {
    if (options.num_workers() == 0) return nullptr;
    if (!options.persistent_workers()) return std::make_shared<Workers>(options.num_workers());
    // An epoch that is still being read keeps its threads; this one then gets threads of its own.
    if (!persistent || (last && !last->finished())) persistent = std::make_shared<Workers>(options.num_workers());
    return persistent;
  }
};

DataLoader::DataLoader(std::shared_ptr<BatchDataset> dataset, DataLoaderOptions options) {
  if (!dataset) throw value_error("DataLoader: the dataset is null");
  require(options.batch_size() >= 1, "batch_size", "at least 1", options.batch_size());
  require(options.num_workers() >= 0 && options.num_workers() <= 1024, "num_workers", "in [0, 1024]",
          options.num_workers());
  require(options.prefetch_factor() >= 1 && options.prefetch_factor() <= 1024, "prefetch_factor", "in [1, 1024]",
          options.prefetch_factor());
  auto inFlight = static_cast<size_t>(options.num_workers()) * static_cast<size_t>(options.prefetch_factor() + 1) + 2;
  auto sampler = chooseSampler(options);
  auto memory = std::make_shared<BatchMemory>(2 * inFlight, options.pin_memory() && cuda::is_available());
  impl_ = std::make_unique<Impl>(
      Impl{std::move(dataset), std::move(options), std::move(sampler), std::move(memory), nullptr, nullptr, 0});
}

DataLoader::~DataLoader() {
  if (impl_->last) impl_->last->cancel();
}

DataLoader::Iterator DataLoader::begin() {
  Impl &d = *impl_;
  uint64_t number = d.nextEpoch++;
  auto order = d.sampler->order(d.dataset->size(), number);
  auto workers = d.workers();
  d.last = std::make_shared<Epoch>(d.dataset, d.options, std::move(order), number, d.memory);
  return Iterator(std::make_shared<Iterator::State>(d.last, std::move(workers)));
}

int64_t DataLoader::size() const { return Epoch::batches(impl_->dataset->size(), impl_->options); }
void DataLoader::set_epoch(uint64_t epoch) { impl_->nextEpoch = epoch; }
const DataLoaderOptions &DataLoader::options() const { return impl_->options; }

std::optional<int64_t> DataLoader::failed_index() const {
  return impl_->last ? impl_->last->failedIndex() : std::nullopt;
}

DataLoader::Iterator::Iterator(std::shared_ptr<State> state) : state_(std::move(state)) { ++*this; }

DataLoader::Iterator &DataLoader::Iterator::operator++() {
  current_ = nullptr;
  state_->batch.reset(); // before waiting, so that its memory can serve the next one
  state_->batch = state_->epoch->next();
  if (state_->batch) current_ = &*state_->batch;
  return *this;
}

} // namespace tensorjit::data
