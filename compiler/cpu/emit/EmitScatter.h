#pragma once
#include "cpu/emit/Emission.h"
#include "cpu/emit/KernelEmitter.h"
#include "kernel/Kernel.h"

namespace tensorjit::cpu {

/// Emits units [lo, hi) of a scatter over `memory`: its operands, then its result.
void emitScatter(Emission &emission, kernel::ScatterOp scatter, mlir::ValueRange memory, mlir::Value lo, mlir::Value hi,
                 EmittedKernel &kernel);

} // namespace tensorjit::cpu
