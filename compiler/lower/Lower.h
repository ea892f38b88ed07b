#pragma once
#include "execute/CompilerInterface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <functional>
#include <optional>

namespace tensorjit {

/// Why a device's code generator has no code for a kernel, or nothing.
using KernelRefusal = std::function<std::optional<std::string>(mlir::Operation *kernel)>;
/// Why a `tj` op is better off with its eager kernel on a device, or nothing.
using CallReason = std::function<std::optional<std::string>(mlir::Operation *op)>;

/// Turns `tj` ops into `kernel` ops, one nest or a few each. An op that no lowering takes, or whose kernels are
/// refused, or that is better called, stays, with the reason in its attribute `tj.refusal`.
void lower(mlir::func::FuncOp function, CompileReport *report, const KernelRefusal &refusal = {},
           const CallReason &betterCalled = {});

} // namespace tensorjit
