#pragma once
#include "tensorjit/tensor.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tensorjit::data {

/// One example, or a batch of them: `auto [x, y] = example`. `target` may be undefined.
struct Example {
  Tensor data, target;
};

/// Examples fetched one at a time. `get` is called from several threads at once when the loader has workers.
class Dataset {
public:
  virtual ~Dataset() = default;
  /// Example `index` in [0, size()). All examples of a batch must agree in dtype and sizes.
  virtual Example get(int64_t index) = 0;
  virtual int64_t size() const = 0;
};

class BatchMemory;

/// The memory of one batch while a dataset fills it: each example is written once, into its own row.
class BatchBuilder {
public:
  /// Fills rows for `indices`; used by the loader, and by tests of a dataset.
  BatchBuilder(std::span<const int64_t> indices, std::shared_ptr<BatchMemory> memory, uint64_t seed, uint64_t epoch);
  ~BatchBuilder();
  BatchBuilder(const BatchBuilder &) = delete;

  /// Which example goes into each row.
  std::span<const int64_t> indices() const { return indices_; }

  /// Uninitialised dense memory for the data of all rows, each of `sizes`.
  void *data(DType dtype, const Shape &sizes) { return allocate(data_, dtype, sizes); }
  /// The same for the targets; `sizes` {} for class indices.
  void *target(DType dtype, const Shape &sizes) { return allocate(target_, dtype, sizes); }

  /// To be called before work on a row that may throw or draw random numbers: the example becomes the one that an
  /// error names, and `example_seed()` becomes its own.
  void start(int64_t row);
  /// The example last started; the first one before that.
  int64_t current() const { return current_; }

  /// The tensors, once filled.
  Example finish() { return {std::move(data_), std::move(target_)}; }

private:
  void *allocate(Tensor &field, DType dtype, const Shape &sizes);

  std::span<const int64_t> indices_;
  std::shared_ptr<BatchMemory> memory_;
  uint64_t seed_, epoch_;
  int64_t current_;
  Tensor data_, target_;
};

/// Examples fetched many at a time, straight into the batch's memory: the form for data that lies in one block.
class BatchDataset {
public:
  virtual ~BatchDataset() = default;
  /// Writes examples `batch.indices()` into `batch.data(...)` and `batch.target(...)`. Called from several threads.
  virtual void get_batch(BatchBuilder &batch) = 0;
  virtual int64_t size() const = 0;
};

/// Seed for the random numbers of the example that this thread is fetching: a function of the loader's seed, the
/// epoch and the example's index, whatever the number of workers. Throws `Error` outside a loader's fetch.
uint64_t example_seed();

/// Reads a `Dataset` batch by batch: each example is copied once, into its row.
std::shared_ptr<BatchDataset> batched(std::shared_ptr<Dataset> dataset);

} // namespace tensorjit::data
