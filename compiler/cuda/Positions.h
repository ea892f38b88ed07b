#pragma once
#include "nest/Space.h"

namespace tensorjit::cuda {

/// Integers that a body computes from its place alone: sums, multiples, quotients and remainders of `kernel.index`.
///
///   %n = kernel.index 0        // d0 * 4 + d1, where d1 < 4
///   %b = arith.shrui %n, %c2   // d0: the same for all d1
///
/// Written as expressions of the dims, they take the arithmetic of an index, and show what is the same for neighbours.
class Positions {
public:
  explicit Positions(const nest::Space &space);

  /// An expression of the space's dims that is never negative; null for other values.
  mlir::AffineExpr of(mlir::Value value) const { return positions_.lookup(value); }

private:
  llvm::DenseMap<mlir::Value, mlir::AffineExpr> positions_;
};

} // namespace tensorjit::cuda
