#pragma once
#include "cpu/emit/Emission.h"
#include "cpu/emit/KernelEmitter.h"

#include "kernel/Kernel.h"

namespace tensorjit::cpu {

/// Slices [lo, hi) of a chain. Each nest is a function of its own, as good as if it were a kernel of its own:
///
///   for s: call @chain.0(x, scratch + 0, ..., s * a, (s + 1) * a); call @chain.1(scratch + 0, y, ..., s * b, ...)
void emitChain(Emission &emission, kernel::ChainOp chain, llvm::StringRef symbol, mlir::ValueRange memory,
               mlir::Value lo, mlir::Value hi, EmittedKernel &kernel);

} // namespace tensorjit::cpu
