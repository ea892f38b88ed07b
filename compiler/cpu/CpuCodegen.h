#pragma once
/// kernel.nest and kernel.group -> one shared object for the CPU.
#include "execute/CompilerInterface.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <string>

namespace mlir {
class Operation;
}

namespace tensorjit::cpu {

struct KernelRequest {
  mlir::Operation *kernelOp;
  std::string symbol; ///< unique within one call
};

/// What the executor needs to know of a compiled kernel; see Step.
struct KernelInfo {
  int64_t extent = 1, grain = 1, scratchBytes = 0;
};

/// Why there can be no kernel for a nest or group, or nothing.
std::optional<std::string> refusalOf(mlir::Operation *kernelOp);
/// Why the eager kernel of a `tj` op is faster than a nest, whatever that is fused with, or nothing.
std::optional<std::string> betterCalled(mlir::Operation *op);

/// The kernels as an ELF shared object that exports each `symbol` as a KernelFn. Equal kernels share one body. The
/// ops are only read; code is generated in contexts of its own, on a few threads when there is enough to do.
/// Throws `compile_error`, also where LLVM gives up (see FatalErrors.h). Whatever reaches this must verify and have no
/// refusal.
std::vector<std::byte> compileKernels(llvm::ArrayRef<KernelRequest> requests, llvm::MutableArrayRef<KernelInfo> infos,
                                      const CompileOptions &options, CompileReport *report);

} // namespace tensorjit::cpu
