#pragma once
/// The plainest reading of a kernel: one point at a time, one scalar op at a time.
#include "kernel/Kernel.h"

#include <vector>

namespace tensorjit::cpu::test {

/// An element of a tensor: floats as double (f32 values rounded to f32), integers sign-extended, i1 as 0 or 1.
struct Number {
  double real = 0;
  int64_t integer = 0;
};

struct TensorData {
  mlir::RankedTensorType type;
  std::vector<Number> elements;

  explicit TensorData(mlir::RankedTensorType type) : type(type), elements(type.getNumElements()) {}
};

struct ReportedIndex {
  bool set = false;
  int64_t check = 0, position = 0, value = 0;
};

/// Results of the nest on `inputs`. Float sums are exact to double.
std::vector<TensorData> interpret(kernel::NestOp nest, const std::vector<TensorData> &inputs, ReportedIndex *reported);

} // namespace tensorjit::cpu::test
