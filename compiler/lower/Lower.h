#pragma once
#include "execute/CompilerInterface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <functional>
#include <optional>

namespace tensorjit {

/// Why a device's code generator has no code for a kernel, or nothing.
using KernelRefusal = std::function<std::optional<std::string>(mlir::Operation *kernel)>;

/// Turns `tj` ops into `kernel` ops, one nest or a few each. An op that no lowering takes, or whose kernels are
/// refused, stays, with the reason in its attribute `tj.refusal`.
void lower(mlir::func::FuncOp function, CompileReport *report, const KernelRefusal &refusal = {});

} // namespace tensorjit
