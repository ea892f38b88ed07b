#include "data/BatchMemory.h"
#include "data/Streams.h"
#include "tensorjit/data/dataset.h"

#include <cstring>
#include <optional>

namespace tensorjit::data {
namespace {

thread_local std::optional<uint64_t> currentSeed;

/// Copies each field of single examples into rows.
class BatchedDataset : public BatchDataset {
public:
  explicit BatchedDataset(std::shared_ptr<Dataset> dataset) : dataset_(std::move(dataset)) {}
  int64_t size() const override { return dataset_->size(); }
  void get_batch(BatchBuilder &batch) override;

private:
  std::shared_ptr<Dataset> dataset_;
};

struct Field {
  const char *name;
  std::byte *rows = nullptr;
  DType dtype{};
  Shape sizes;
  size_t rowBytes = 0;

  std::string str(DType t, const Shape &s) const { return std::string(tensorjit::name(t)) + s.str(); }

  void write(int64_t row, int64_t index, const Tensor &value) {
    if (value.dtype() != dtype || value.sizes() != sizes)
      throw shape_error("data loader: example " + std::to_string(index) + " has " + name + " " +
                        str(value.dtype(), value.sizes()) + ", the first of its batch has " + str(dtype, sizes));
    std::memcpy(rows + static_cast<size_t>(row) * rowBytes, value.cpu().contiguous().data_ptr(), rowBytes);
  }
};

Field makeField(const char *name, const Tensor &first) {
  return {name, nullptr, first.dtype(), first.sizes(), static_cast<size_t>(first.numel()) * itemSize(first.dtype())};
}

void BatchedDataset::get_batch(BatchBuilder &batch) {
  std::optional<Field> data, target;
  for (int64_t row = 0; auto index : batch.indices()) {
    batch.start(row);
    Example example = dataset_->get(index);
    if (!example.data.defined()) throw value_error("data loader: example " + std::to_string(index) + " has no data");
    if (row == 0) {
      data = makeField("data", example.data);
      data->rows = static_cast<std::byte *>(batch.data(data->dtype, data->sizes));
      if (example.target.defined()) {
        target = makeField("target", example.target);
        target->rows = static_cast<std::byte *>(batch.target(target->dtype, target->sizes));
      }
    }
    if (example.target.defined() != target.has_value())
      throw value_error(
          "data loader: example " + std::to_string(index) + " " +
          (target ? "has no target, the first of its batch has one" : "has a target, the first of its batch has none"));
    data->write(row, index, example.data);
    if (target) target->write(row, index, example.target);
    ++row;
  }
}

} // namespace

BatchBuilder::BatchBuilder(std::span<const int64_t> indices, std::shared_ptr<BatchMemory> memory, uint64_t seed,
                           uint64_t epoch)
    : indices_(indices), memory_(std::move(memory)), seed_(seed), epoch_(epoch) {
  start(0);
}

BatchBuilder::~BatchBuilder() { currentSeed.reset(); }

void BatchBuilder::start(int64_t row) {
  current_ = indices_[static_cast<size_t>(row)];
  currentSeed = drawWord(seed_, epoch_, current_, kExampleStream);
}

void *BatchBuilder::allocate(Tensor &field, DType dtype, const Shape &sizes) {
  Shape batched = sizes;
  batched.insert(0, static_cast<int64_t>(indices_.size()));
  field = memory_->tensor(dtype, batched);
  return field.data_ptr();
}

uint64_t example_seed() {
  if (!currentSeed) throw Error("example_seed: no example is being fetched on this thread");
  return *currentSeed;
}

std::shared_ptr<BatchDataset> batched(std::shared_ptr<Dataset> dataset) {
  return std::make_shared<BatchedDataset>(std::move(dataset));
}

} // namespace tensorjit::data
