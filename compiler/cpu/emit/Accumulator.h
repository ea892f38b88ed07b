#pragma once
/// The running values of `kernel.reduce` and `kernel.scan` (one) and `kernel.arg_reduce` (extreme and index).
#include "cpu/emit/Emission.h"
#include "kernel/Kernel.h"

namespace tensorjit::cpu {

/// What combining with changes nothing.
Values identityOf(Emission &emission, mlir::Operation *reduction, int64_t lanes);
Values combine(Emission &emission, mlir::Operation *reduction, mlir::ValueRange left, mlir::ValueRange right);
/// The same where the index on the right is the larger one.
Values combineRising(Emission &emission, kernel::ArgReduceOp reduction, mlir::ValueRange left, mlir::ValueRange right);
/// Lanes into one, by a tree of halves that their number fixes.
Values combineLanes(Emission &emission, mlir::Operation *reduction, mlir::ValueRange lanes);
/// `next` where `active`, else `otherwise`.
Values selectActive(Emission &emission, mlir::Value active, mlir::ValueRange next, mlir::ValueRange otherwise);

/// Whether the order of combining changes bits.
bool isRounded(mlir::Operation *reduction);

} // namespace tensorjit::cpu
