#pragma once
/// The kernels of SmallCNN's train step.
#include "Stage.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tensorjit::cuda::test {

/// Inputs/train-step.mlir through all stages before code generation, for CUDA.
mlir::OwningOpRef<mlir::ModuleOp> lowerTrainStep(mlir::MLIRContext &context, int64_t batch);

/// The nests and groups of a module, in the order of `printProgram`.
llvm::SmallVector<mlir::Operation *> kernelsOf(mlir::ModuleOp module);

} // namespace tensorjit::cuda::test
