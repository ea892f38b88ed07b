#pragma once
#include "tensorjit/data/dataset.h"

#include <string>

namespace tensorjit::data::datasets {

/// Fashion-MNIST, or any data set in the files of MNIST: 28x28 grey images of ten classes, read from
/// `root/{train,t10k}-{images-idx3,labels-idx1}-ubyte[.gz]`. An example is data f32 [1x28x28] in [0, 1] and target
/// i64 []. The images stay as bytes in memory (47 MB for the 60,000 training images).
class FashionMNIST : public BatchDataset {
public:
  static constexpr int64_t numClasses = 10;

  /// Throws `io_error` where a file is missing, damaged or foreign, where images and labels differ in number, or
  /// where a label is outside [0, 10).
  explicit FashionMNIST(const std::string &root, bool train = true);

  void get_batch(BatchBuilder &batch) override;
  int64_t size() const override { return static_cast<int64_t>(labels_.size()); }

private:
  std::vector<uint8_t> images_, labels_;
};

} // namespace tensorjit::data::datasets
