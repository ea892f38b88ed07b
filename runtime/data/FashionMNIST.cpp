#include "tensorjit/data/fashion_mnist.h"
#include "tensorjit/data/idx.h"

#include <algorithm>
#include <filesystem>

namespace tensorjit::data::datasets {
namespace {

constexpr int64_t side = 28;

/// `root/name`, or `root/name.gz` where only that exists.
std::string findFile(const std::string &root, const std::string &name) {
  auto plain = std::filesystem::path(root) / name;
  std::error_code ignored;
  auto packed = plain;
  packed += ".gz";
  if (std::filesystem::exists(plain, ignored)) return plain.string();
  if (std::filesystem::exists(packed, ignored)) return packed.string();
  throw io_error(plain.string() + "[.gz]: No such file");
}

} // namespace

FashionMNIST::FashionMNIST(const std::string &root, bool train) {
  const std::string prefix = train ? "train" : "t10k";
  auto imagePath = findFile(root, prefix + "-images-idx3-ubyte");
  auto labelPath = findFile(root, prefix + "-labels-idx1-ubyte");
  auto images = read_idx(imagePath);
  auto labels = read_idx(labelPath);

  if (images.sizes.rank() != 3 || images.sizes[1] != side || images.sizes[2] != side)
    throw io_error(imagePath + ": expected images [Nx28x28], found " + images.sizes.str());
  if (labels.sizes.rank() != 1) throw io_error(labelPath + ": expected labels [N], found " + labels.sizes.str());
  if (images.sizes[0] != labels.sizes[0])
    throw io_error(labelPath + ": " + std::to_string(labels.sizes[0]) + " labels for the " +
                   std::to_string(images.sizes[0]) + " images of " + imagePath);
  auto bad = std::find_if(labels.bytes.begin(), labels.bytes.end(), [](uint8_t v) { return v >= numClasses; });
  if (bad != labels.bytes.end())
    throw io_error(labelPath + ": label " + std::to_string(*bad) + " at " + std::to_string(bad - labels.bytes.begin()) +
                   " is outside [0, 10)");

  images_ = std::move(images.bytes);
  labels_ = std::move(labels.bytes);
}

void FashionMNIST::get_batch(BatchBuilder &batch) {
  auto *x = static_cast<float *>(batch.data(kFloat32, {1, side, side}));
  auto *y = static_cast<int64_t *>(batch.target(kInt64, {}));
  for (int64_t index : batch.indices()) {
    const uint8_t *image = images_.data() + index * side * side;
    for (int64_t i = 0; i < side * side; ++i) x[i] = static_cast<float>(image[i]) / 255.0f;
    x += side * side;
    *y++ = labels_[static_cast<size_t>(index)];
  }
}

} // namespace tensorjit::data::datasets
