#pragma once
#include "cpu/emit/Emission.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tensorjit::cpu {

/// What a function that runs units [lo, hi) of work on buffers looks like in the vector form:
///
///   func.func @f(%x: memref<8xf32>, %y: memref<8xf32>, %scratch: memref<?xi8>, %lo: index, %hi: index,
///                %context: !llvm.ptr)
struct KernelFunction {
  mlir::func::FuncOp op;
  mlir::ValueRange memory;
  mlir::Value scratch, lo, hi, context;
};

KernelFunction makeKernelFunction(mlir::ModuleOp module, mlir::Location loc, llvm::StringRef symbol,
                                  llvm::ArrayRef<mlir::Type> buffers);

/// `elements` of a tensor's elements, one dimension of memory.
mlir::MemRefType bufferType(mlir::Type tensor, int64_t elements);
mlir::MemRefType bufferType(mlir::Type tensor);
/// Only an upper bound: the executor allocates what the kernel asks for.
mlir::MemRefType scratchType(mlir::MLIRContext *context);

} // namespace tensorjit::cpu
