#pragma once
#include "tensorjit/tensor_base.h"

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace tensorjit::run {

/// Elements as a file holds them, also of dtypes that the library does not compute with yet.
struct RawTensor {
  DType dtype{};
  Shape sizes;
  std::span<const std::byte> bytes;

  int64_t numel() const { return sizes.numel(); }
  /// Element `i` in row-major order; exact for every dtype but i64.
  double number(int64_t i) const;
  /// Element `i` of an integer or bool tensor.
  int64_t integer(int64_t i) const;
};

/// The memory of `t`, which must stay alive.
RawTensor raw(const TensorBase &t);

/// Every tensor of a safetensors file, in memory.
class CaseTensors {
public:
  explicit CaseTensors(const std::string &path);
  /// Throws `io_error` where the file has no tensor of this name.
  const RawTensor &at(const std::string &name) const;

private:
  std::string path_;
  std::map<std::string, std::vector<std::byte>> memory_;
  std::map<std::string, RawTensor> tensors_;
};

} // namespace tensorjit::run
