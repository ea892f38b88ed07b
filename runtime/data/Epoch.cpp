#include "data/Epoch.h"
#include "trace/Recorder.h"

#include <algorithm>

namespace tensorjit::data {

Epoch::Epoch(std::shared_ptr<BatchDataset> dataset, const DataLoaderOptions &options, std::vector<int64_t> order,
             uint64_t number, std::shared_ptr<BatchMemory> memory)
    : dataset_(std::move(dataset)), batchSize_(options.batch_size()), seed_(options.seed()), number_(number),
      threaded_(options.num_workers() > 0), order_(std::move(order)), memory_(std::move(memory)),
      slots_(static_cast<size_t>(options.num_workers()) * static_cast<size_t>(options.prefetch_factor())),
      end_(batches(static_cast<int64_t>(order_.size()), options)) {}

int64_t Epoch::batches(int64_t size, const DataLoaderOptions &options) {
  return size / options.batch_size() + (!options.drop_last() && size % options.batch_size() != 0);
}

FetchedBatch Epoch::fetch(int64_t batch) const {
  auto first = static_cast<size_t>(batch * batchSize_);
  auto count = std::min(static_cast<size_t>(batchSize_), order_.size() - first);
  BatchBuilder builder(std::span<const int64_t>(order_).subspan(first, count), memory_, seed_, number_);
  trace::SuspendRecording eager; // the consumer may be inside a compiled function
  FetchedBatch slot;
  slot.ready = true;
  try {
    dataset_->get_batch(builder);
    slot.batch = builder.finish();
    if (!slot.batch.data.defined()) throw value_error("data loader: get_batch left the batch without data");
  } catch (...) {
    slot.error = std::current_exception();
    slot.failed = builder.current();
  }
  return slot;
}

void Epoch::work() {
  auto window = static_cast<int64_t>(slots_.size());
  std::unique_lock lock(mutex_);
  for (;;) {
    room_.wait(lock, [&] { return fetched_ >= end_ || fetched_ < delivered_ + window; });
    if (fetched_ >= end_) return;
    int64_t batch = fetched_++;
    lock.unlock();
    FetchedBatch slot = fetch(batch);
    lock.lock();
    if (slot.error) { // nothing after it will be asked for
      end_ = std::min(end_, batch + 1);
      room_.notify_all();
    }
    slots_[static_cast<size_t>(batch % window)] = std::move(slot);
    ready_.notify_one();
  }
}

std::optional<Example> Epoch::next() {
  FetchedBatch slot;
  std::unique_lock lock(mutex_);
  if (delivered_ >= end_) return std::nullopt;
  if (threaded_) {
    FetchedBatch &waiting = slots_[static_cast<size_t>(delivered_) % slots_.size()];
    ready_.wait(lock, [&] { return waiting.ready; });
    slot = std::exchange(waiting, {});
  } else {
    slot = fetch(delivered_);
  }
  ++delivered_;
  if (slot.error) {
    end_ = std::min(end_, delivered_);
    failedIndex_ = slot.failed;
  }
  lock.unlock();
  room_.notify_all();
  if (slot.error) std::rethrow_exception(slot.error);
  return std::move(slot.batch);
}

void Epoch::cancel() {
  {
    std::lock_guard lock(mutex_);
    end_ = 0;
  }
  room_.notify_all();
}

bool Epoch::finished() const {
  std::lock_guard lock(mutex_);
  return delivered_ >= end_;
}

std::optional<int64_t> Epoch::failedIndex() const {
  std::lock_guard lock(mutex_);
  return failedIndex_;
}

} // namespace tensorjit::data
