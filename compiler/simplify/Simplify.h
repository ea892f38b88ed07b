#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tensorjit {

/// Folds, computes equal ops once and drops ops whose results nobody needs. Changes no value.
void simplify(mlir::func::FuncOp function);

} // namespace tensorjit
