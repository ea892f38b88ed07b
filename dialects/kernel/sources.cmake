include_directories(SYSTEM ${MLIR_INCLUDE_DIRS}) # where mlir-tblgen looks
set(LLVM_TARGET_DEFINITIONS kernel/KernelOps.td)
mlir_tablegen(kernel/KernelDialect.h.inc -gen-dialect-decls -dialect=kernel)
mlir_tablegen(kernel/KernelDialect.cpp.inc -gen-dialect-defs -dialect=kernel)
mlir_tablegen(kernel/KernelEnums.h.inc -gen-enum-decls)
mlir_tablegen(kernel/KernelEnums.cpp.inc -gen-enum-defs)
mlir_tablegen(kernel/KernelOps.h.inc -gen-op-decls)
mlir_tablegen(kernel/KernelOps.cpp.inc -gen-op-defs)
add_public_tablegen_target(TensorJITKernelIncGen)

set(KERNEL_DIALECT_SOURCES
  kernel/AffineRange.cpp
  kernel/Kernel.cpp
  kernel/NestAssembly.cpp
  kernel/NestBuilder.cpp
  kernel/Uniform.cpp
  kernel/Verify.cpp)
