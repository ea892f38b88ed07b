#pragma once
#include "kernel/Kernel.h"

#include <optional>

namespace tensorjit::layout {

/// The parts of a sum of products.
struct ContractionOperands {
  unsigned a = 0, b = 0;  ///< inputs; b depends on the vector dim, a does not
  unsigned vectorDim = 0; ///< the last dim of every result
};

/// None where the nest is no contraction, or has no dim that could be the vector dim.
std::optional<ContractionOperands> contractionOperands(kernel::NestOp nest);

} // namespace tensorjit::layout
