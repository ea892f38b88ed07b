#pragma once
#include "mlir/IR/AffineMap.h"

#include <cstdint>
#include <optional>

namespace tensorjit::kernel {

struct AffineRange {
  int64_t lo = 0, hi = 0; ///< both inclusive
};

/// Bounds of `expr` over the box [0, size) of each dim; exact when no dim occurs twice. None for an empty box or an
/// expression with symbols or a divisor that is not a positive constant.
std::optional<AffineRange> rangeOf(mlir::AffineExpr expr, llvm::ArrayRef<int64_t> dimSizes);

/// Whether every point of the box maps into a tensor of these sizes. An empty box is inside anything.
bool isInBounds(mlir::AffineMap map, llvm::ArrayRef<int64_t> dimSizes, llvm::ArrayRef<int64_t> tensorSizes);

} // namespace tensorjit::kernel
