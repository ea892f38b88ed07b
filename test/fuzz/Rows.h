#pragma once
/// The ops that programs are made of: the sample calls and ranges of the op records.
#include "op/OpInfo.h"
#include "tensorjit/tensorjit.h"

#include <functional>
#include <vector>

namespace tensorjit::fuzz {

struct Row {
  const char *text; ///< the sample call, or the function of tensors
  OpClass cls;
  bool differentiable;
  int operands = 0;          ///< of a function of tensors; 0 for a sample call
  bool hasCondition = false; ///< operand 0 is bool
  Tensor (*call)() = nullptr;
  Tensor (*function)(const Tensor *) = nullptr;
  bool statements = false; ///< the call updates what it draws
  bool ownTensors = false; ///< the call makes tensors of its own, which lie on the CPU
};

const std::vector<Row> &rows();

/// Runs a sample call whose words `f32(sizes)` and `i64(sizes, bound)` are answered by these functions.
Tensor runSample(const Row &row, const std::function<Tensor(const Shape &)> &f32,
                 const std::function<Tensor(const Shape &, int64_t)> &i64);

/// Whether results of whole numbers are whole numbers whatever the order of the sums: what sums, products of matrices
/// and convolutions are and statistics are not. Found by trying.
bool addsUp(size_t row);

} // namespace tensorjit::fuzz
