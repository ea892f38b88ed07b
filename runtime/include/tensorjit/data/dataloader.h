#pragma once
#include "tensorjit/data/dataset.h"
#include "tensorjit/data/sampler.h"

#include <concepts>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

namespace tensorjit::data {

class DataLoaderOptions {
public:
  /// Examples in a batch; at least 1.
  DataLoaderOptions &batch_size(int64_t v) { return batchSize_ = v, *this; }
  /// Visit the examples in an order drawn anew each epoch from the seed.
  DataLoaderOptions &shuffle(bool v) { return shuffle_ = v, *this; }
  /// Threads that fetch ahead; 0 fetches in the caller's thread.
  DataLoaderOptions &num_workers(int v) { return numWorkers_ = v, *this; }
  /// Page-locked batch memory, for transfers to a device; without a device it changes nothing.
  DataLoaderOptions &pin_memory(bool v) { return pinMemory_ = v, *this; }
  /// Batches that each worker may be ahead; at least 1.
  DataLoaderOptions &prefetch_factor(int v) { return prefetchFactor_ = v, *this; }
  /// Leave out a last batch that is not full.
  DataLoaderOptions &drop_last(bool v) { return dropLast_ = v, *this; }
  /// Fixes the order and the random numbers of every example, together with the epoch.
  DataLoaderOptions &seed(uint64_t v) { return seed_ = v, *this; }
  /// Keep the worker threads between epochs.
  DataLoaderOptions &persistent_workers(bool v) { return persistentWorkers_ = v, *this; }
  /// An order of one's own; `shuffle` is then ignored.
  DataLoaderOptions &sampler(std::shared_ptr<const Sampler> v) { return sampler_ = std::move(v), *this; }

  int64_t batch_size() const { return batchSize_; }
  bool shuffle() const { return shuffle_; }
  int num_workers() const { return numWorkers_; }
  bool pin_memory() const { return pinMemory_; }
  int prefetch_factor() const { return prefetchFactor_; }
  bool drop_last() const { return dropLast_; }
  uint64_t seed() const { return seed_; }
  bool persistent_workers() const { return persistentWorkers_; }
  const std::shared_ptr<const Sampler> &sampler() const { return sampler_; }

private:
  int64_t batchSize_ = 1;
  int numWorkers_ = 0, prefetchFactor_ = 2;
  bool shuffle_ = false, pinMemory_ = false, dropLast_ = false, persistentWorkers_ = false;
  uint64_t seed_ = 0;
  std::shared_ptr<const Sampler> sampler_;
};

/// Batches of a dataset, one epoch for each `begin()`:
///
///     for (auto [x, y] : *loader) { ... }
///
/// Order and random numbers depend on seed, epoch and index alone, never on the number of workers. What a dataset
/// throws reaches the loop unchanged, after the batches before it; `failed_index()` then names the example. Leaving
/// the loop early, or destroying the loader, stops the workers; a fetch that is running is waited for.
class DataLoader {
public:
  class Iterator;

  /// Throws `value_error` for an option outside its domain.
  DataLoader(std::shared_ptr<BatchDataset> dataset, DataLoaderOptions options);
  ~DataLoader();
  DataLoader(const DataLoader &) = delete;

  /// Starts an epoch: the one after the last, or what `set_epoch` said.
  Iterator begin();
  std::default_sentinel_t end() const { return {}; }

  /// Batches in an epoch.
  int64_t size() const;
  /// The number of the next epoch, 0 at first.
  void set_epoch(uint64_t epoch);
  /// The example whose fetch threw last.
  std::optional<int64_t> failed_index() const;
  const DataLoaderOptions &options() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

class DataLoader::Iterator {
public:
  using iterator_concept = std::input_iterator_tag;
  using value_type = Example;
  using difference_type = std::ptrdiff_t;

  struct State;
  explicit Iterator(std::shared_ptr<State> state);

  const Example &operator*() const { return *current_; }
  /// Waits for the next batch. Throws what its fetch threw; the epoch is then over.
  Iterator &operator++();
  void operator++(int) { ++*this; }
  bool operator==(std::default_sentinel_t) const { return current_ == nullptr; }

private:
  std::shared_ptr<State> state_;
  const Example *current_ = nullptr;
};

/// A loader over a dataset that is moved in, or shared by `std::shared_ptr`.
template <std::derived_from<BatchDataset> D>
std::unique_ptr<DataLoader> make_data_loader(D dataset, DataLoaderOptions options = {}) {
  return std::make_unique<DataLoader>(std::make_shared<D>(std::move(dataset)), std::move(options));
}
template <std::derived_from<Dataset> D>
std::unique_ptr<DataLoader> make_data_loader(D dataset, DataLoaderOptions options = {}) {
  return std::make_unique<DataLoader>(batched(std::make_shared<D>(std::move(dataset))), std::move(options));
}
template <std::derived_from<BatchDataset> D>
std::unique_ptr<DataLoader> make_data_loader(std::shared_ptr<D> dataset, DataLoaderOptions options = {}) {
  return std::make_unique<DataLoader>(std::move(dataset), std::move(options));
}
template <std::derived_from<Dataset> D>
std::unique_ptr<DataLoader> make_data_loader(std::shared_ptr<D> dataset, DataLoaderOptions options = {}) {
  return std::make_unique<DataLoader>(batched(std::move(dataset)), std::move(options));
}

} // namespace tensorjit::data
