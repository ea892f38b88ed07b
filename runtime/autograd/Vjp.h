#pragma once
#include "op/OpInfo.h"
#include "tensorjit/tensor.h"

namespace tensorjit {

/// One op's share of a backward pass. The generated vjp functions call public ops, so backward can be recorded and
/// differentiated again; each writes `result[i]` for the operands with `needs[i]`.
struct VjpCall {
  OpId op;
  const Attrs &attrs;
  std::span<const Tensor> grads;            ///< of each result; undefined where none arrived
  std::span<const Tensor> saved;            ///< in the order of the record's `saves`
  std::span<const TensorType> operandTypes; ///< after promotion
  std::span<const bool> needs;
  std::span<Tensor> result;
};

} // namespace tensorjit
