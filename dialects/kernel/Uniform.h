#pragma once
#include "kernel/Kernel.h"

#include "llvm/ADT/DenseSet.h"

namespace tensorjit::kernel {

/// Whether a reduction dim of more than one point occurs in `map`.
bool usesReductionDims(NestOp nest, mlir::AffineMap map);

/// The scalars of a nest's body that are the same at every point of the reduction dims.
class UniformValues {
public:
  explicit UniformValues(NestOp nest);
  bool contains(mlir::Value value) const { return values_.contains(value); }

private:
  llvm::DenseSet<mlir::Value> values_;
};

} // namespace tensorjit::kernel
