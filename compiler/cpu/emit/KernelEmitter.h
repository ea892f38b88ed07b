#pragma once
/// kernel.nest and kernel.group -> one func.func in scf, vector, memref and arith.
#include "cpu/Target.h"

#include "mlir/IR/BuiltinOps.h"

namespace tensorjit::cpu {

struct EmittedKernel {
  int64_t extent = 0; ///< units of work
  double seconds = 0; ///< estimated, of all units
  int64_t grain = 1;  ///< fewest units worth a thread
  int64_t scratchBytes = 0;
  bool callsLibm = false;
  std::string skeletons; ///< of each nest, for logs

  void addNest(llvm::StringRef skeleton, double nestSeconds);
};

/// Adds function `symbol` to `module` (see lowerToLlvm for its signature).
EmittedKernel emitKernel(mlir::ModuleOp module, mlir::Operation *kernelOp, llvm::StringRef symbol,
                         const Target &target);

} // namespace tensorjit::cpu
