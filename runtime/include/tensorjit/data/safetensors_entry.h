#pragma once
#include "tensorjit/dtype.h"
#include "tensorjit/shape.h"

#include <cstdint>
#include <string>

namespace tensorjit::data {

/// What the header of a safetensors file says of one tensor.
struct SafetensorsEntry {
  std::string name;
  DType dtype{};
  Shape sizes;
  uint64_t begin = 0, end = 0; ///< bytes of the file
};

} // namespace tensorjit::data
