#pragma once
#include "mlir/IR/Operation.h"

namespace tensorjit::fuse_nests {

/// Whether `op` needs a result of `earlier`, directly or through other ops of their block.
bool dependsOn(mlir::Operation *op, mlir::Operation *earlier);

/// The same, but not counting `op`'s own operands that are results of `earlier`.
bool dependsThroughOthers(mlir::Operation *op, mlir::Operation *earlier);

} // namespace tensorjit::fuse_nests
