#pragma once
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <memory>

namespace mlir {
class DialectRegistry;
class ModuleOp;
} // namespace mlir

namespace tensorjit::cpu {

/// The dialects that emitted kernels use, with their translations.
void registerCodegenDialects(mlir::DialectRegistry &registry);

/// Turns emitted kernels (func, scf, vector, memref, arith, math) into the LLVM dialect in one conversion, and gives
/// each function that carries `kernel.entry` an entry point of KernelFn's signature:
///
///   func.func @add(%x: memref<8xf32>, %y: memref<8xf32>, %scratch: memref<0xi8>, %lo: index, %hi: index,
///                  %context: !llvm.ptr) attributes {kernel.entry}
///   ->
///   llvm.func internal @add.body(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr)
///   llvm.func @add(%buffers: !llvm.ptr, %lo: i64, %hi: i64, %context: !llvm.ptr) { load the pointers; call }
///
/// Throws `compile_error`.
void lowerToLlvm(mlir::ModuleOp module);

/// The lowered module as LLVM IR. Throws `compile_error`.
std::unique_ptr<llvm::Module> translateToLlvm(mlir::ModuleOp module, llvm::LLVMContext &context);

} // namespace tensorjit::cpu
