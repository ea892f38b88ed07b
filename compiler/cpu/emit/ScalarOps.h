#pragma once
/// Body ops on scalars or vectors.
#include "cpu/emit/Emission.h"
#include "kernel/Kernel.h"

namespace tensorjit::cpu {

/// The op on `operands`, which are all scalars or all vectors of the same lanes. One result.
mlir::Value emitScalarOp(Emission &emission, mlir::Operation *op, mlir::ValueRange operands);

/// Reports lanes of `value` outside [0, bound) that are `active` (null: all) and returns 0 for them.
mlir::Value emitCheckIndex(Emission &emission, kernel::CheckIndexOp op, mlir::Value value, mlir::Value position,
                           mlir::Value active);

/// Reports an i64 that is out of range, at an i64 position.
void reportIndex(Emission &emission, int64_t check, mlir::Value position, mlir::Value value);

} // namespace tensorjit::cpu
