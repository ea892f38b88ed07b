#pragma once
/// What the emission of one kernel function shares.
#include "cpu/Target.h"
#include "cpu/emit/Builder.h"

#include "mlir/IR/BuiltinOps.h"

namespace tensorjit::cpu {

struct Emission {
  Builder b;
  mlir::ModuleOp module;
  const Target &target;
  mlir::Value scratch; ///< memref of bytes, this thread's
  mlir::Value context; ///< pointer to KernelContext
  int64_t scratchBytes = 0;
  bool callsLibm = false;

  /// `elements` of scratch for the rest of the kernel, 64-byte aligned.
  mlir::Value allocateScratch(mlir::Type element, int64_t elements);
};

} // namespace tensorjit::cpu
