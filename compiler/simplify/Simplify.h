#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tensorjit {

/// Folds, computes equal ops once and drops ops whose results nobody needs. Changes no value.
void simplify(mlir::func::FuncOp function);

/// Brings ops on f16, bf16 and i16 to f32 and i32, between casts.
void computeInWideTypes(mlir::func::FuncOp function);

} // namespace tensorjit
