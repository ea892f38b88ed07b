#pragma once
#include "execute/KernelAbi.h"
#include "op/OpInfo.h"

namespace tensorjit {

/// A strided window on memory; strides in elements.
struct TensorView {
  void *data = nullptr;
  DType dtype{};
  Shape sizes, strides;
  bool isDense() const { return strides == sizes.denseStrides(); }
};

/// One run of an eager kernel: operands of any strides, results allocated by the caller (dense; or, for an
/// in-place pointwise op, the very window of operand 0).
struct EagerCall {
  OpId op;
  std::span<const TensorView> operands;
  std::span<const TensorView> results;
  const Attrs &attrs;
  ErrorSlot *error; ///< where an op with `checksIndex` reports
};

} // namespace tensorjit
