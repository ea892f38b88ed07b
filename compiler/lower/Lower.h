#pragma once
#include "execute/CompilerInterface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tensorjit {

/// Turns `tj` ops into `kernel` ops, one nest or a few each. An op that no lowering takes stays, with the reason in its
/// attribute `tj.refusal`.
void lower(mlir::func::FuncOp function, CompileReport *report);

} // namespace tensorjit
