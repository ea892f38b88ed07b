#pragma once
#include "execute/CompilerInterface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tensorjit {

/// Makes fewer kernels that move fewer bytes; see the passes of this folder.
void fuse(mlir::func::FuncOp function, CompileReport *report);

} // namespace tensorjit
