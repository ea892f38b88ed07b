#pragma once
#include "mlir/IR/Operation.h"

namespace tensorjit::plan {

/// Bytes that a nest or group must read and write at least.
int64_t bytesMoved(mlir::Operation *op);

/// Float operations over all points of its space, a scalar function counted as one.
int64_t floatOps(mlir::Operation *op);

} // namespace tensorjit::plan
