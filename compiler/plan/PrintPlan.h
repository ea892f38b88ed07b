#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tensorjit::plan {

/// Writes the steps and their memory to stdout, for tests: "relu: in 0 -> arena 64".
void printPlan(mlir::func::FuncOp function);

} // namespace tensorjit::plan
