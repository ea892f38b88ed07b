#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tensorjit {

/// Splits long reductions by size alone and names the form of each nest for the code generator. `multiprocessors`: of a
/// large device of the kind, to be filled by each contraction; 0 for the CPU.
void schedule(mlir::func::FuncOp function, int64_t multiprocessors = 0);

} // namespace tensorjit
