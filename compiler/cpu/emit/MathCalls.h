#pragma once
#include "cpu/emit/Emission.h"

namespace tensorjit::cpu {

/// The expansion of a `math` op that is no instruction: f32 through the ScalarFn records, f64 as calls of the C maths
/// library, one a lane. Null for every other op.
mlir::Value emitMath(Emission &emission, mlir::Operation *op, mlir::ValueRange operands);

/// Whether a kernel may hold this `math` op.
bool canEmitMath(mlir::Operation *op);

} // namespace tensorjit::cpu
