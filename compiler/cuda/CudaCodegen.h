#pragma once
/// kernel.nest and kernel.group -> PTX for a CUDA device.
#include "execute/CompilerInterface.h"

#include "llvm/ADT/ArrayRef.h"

namespace mlir {
class Operation;
}

namespace tensorjit::cuda {

/// Gives each of the steps that launches `kernels[i]` its name and geometry, and returns the code: a PTX program or
/// two, each with a zero byte behind it. Throws `compile_error` with the diagnostics for what has no CUDA form,
/// `device_error` where there is no NVRTC or it does not know the device.
std::vector<std::byte> compileKernels(llvm::ArrayRef<mlir::Operation *> kernels, llvm::ArrayRef<Step *> steps,
                                      const CompileOptions &options, CompileReport *report, const std::string &name);

} // namespace tensorjit::cuda
