#pragma once
#include "data/BatchMemory.h"
#include "tensorjit/data/dataloader.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>

namespace tensorjit::data {

/// What became of one batch: its tensors, or what its fetch threw and at which example.
struct FetchedBatch {
  bool ready = false;
  Example batch;
  std::exception_ptr error;
  int64_t failed = 0;
};

/// One pass over a data set: hands batch numbers to the workers, at most `window` ahead of the consumer, and hands
/// the batches out in order.
class Epoch {
public:
  Epoch(std::shared_ptr<BatchDataset> dataset, const DataLoaderOptions &options, std::vector<int64_t> order,
        uint64_t number, std::shared_ptr<BatchMemory> memory);

  /// Batches of `size` examples.
  static int64_t batches(int64_t size, const DataLoaderOptions &options);

  /// A worker's whole life in this epoch: returns when no batch is left, or after `cancel`.
  void work();
  /// The next batch; none at the end or after an error. Throws what the fetch threw.
  std::optional<Example> next();
  void cancel();
  /// Nothing is left to hand out: the workers return soon.
  bool finished() const;
  std::optional<int64_t> failedIndex() const;

private:
  FetchedBatch fetch(int64_t batch) const;

  const std::shared_ptr<BatchDataset> dataset_;
  const int64_t batchSize_;
  const uint64_t seed_, number_;
  const bool threaded_;
  const std::vector<int64_t> order_;
  const std::shared_ptr<BatchMemory> memory_;

  mutable std::mutex mutex_;
  std::condition_variable room_, ready_;
  std::vector<FetchedBatch> slots_; ///< batch b waits in slot b modulo the window
  int64_t end_, fetched_ = 0, delivered_ = 0;
  std::optional<int64_t> failedIndex_;
};

} // namespace tensorjit::data
