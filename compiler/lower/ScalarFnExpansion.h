#pragma once
#include "mlir/IR/Builders.h"
#include "mlir/IR/ValueRange.h"

namespace tensorjit {

/// The steps of the scalar function that a `math` op on f32 names, on `operands`, which may be vectors of any shape:
/// the same bits as the eager kernels. Null where the op is of another dtype or has no steps.
/// `hasScale`: the target multiplies by a power of two in one instruction (AVX-512); the bits do not depend on it.
mlir::Value expandScalarFn(mlir::OpBuilder &builder, mlir::Operation *op, mlir::ValueRange operands,
                           bool hasScale = false);

/// Whether `expandScalarFn` knows the op.
bool hasScalarFn(mlir::Operation *op);

} // namespace tensorjit
