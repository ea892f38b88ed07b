#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tensorjit {

/// Splits long reductions by size alone and names the form of each nest for the code generator.
void schedule(mlir::func::FuncOp function);

} // namespace tensorjit
