# Included by dialects/CMakeLists.txt: the classes of the `tj` ops, a header a family.
set(families ${TENSORJIT_OP_FAMILIES})
set(tensor_dir ${CMAKE_CURRENT_LIST_DIR})
set(LLVM_TARGET_DEFINITIONS tensor/Record.td)
mlir_tablegen(tensor/TJDialect.h.inc -gen-dialect-decls -dialect=tj EXTRA_INCLUDES ${tensor_dir})
mlir_tablegen(tensor/TJDialect.cpp.inc -gen-dialect-defs -dialect=tj EXTRA_INCLUDES ${tensor_dir})

set(all_headers "#pragma once\n// Every family.\n")
set(TENSOR_DIALECT_SOURCES tensor/Fold.cpp tensor/FoldViews.cpp tensor/Folding.cpp tensor/OpBridge.cpp tensor/TJ.cpp)
foreach(family ${families})
  set(LLVM_TARGET_DEFINITIONS tensor/ops/${family}.td)
  mlir_tablegen(tensor/ops/${family}.h.inc -gen-op-decls EXTRA_INCLUDES ${tensor_dir})
  mlir_tablegen(tensor/ops/${family}.cpp.inc -gen-op-defs EXTRA_INCLUDES ${tensor_dir})
  file(CONFIGURE OUTPUT tensor/${family}Ops.h @ONLY CONTENT [=[
#pragma once
#include "tensor/TJ.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "tensor/ops/@family@.h.inc"
]=])
  file(CONFIGURE OUTPUT tensor/${family}Ops.cpp @ONLY CONTENT [=[
#include "tensor/@family@Ops.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

namespace tensorjit::tj {
/// Registers the ops of the family.
void register@family@Ops(TJDialect &dialect) {
  dialect.addTheOperations<
#define GET_OP_LIST
#include "tensor/ops/@family@.cpp.inc"
      >();
}
} // namespace tensorjit::tj

#define GET_OP_CLASSES
#include "tensor/ops/@family@.cpp.inc"
]=])
  string(APPEND all_headers "#include \"tensor/${family}Ops.h\"\n")
  list(APPEND TENSOR_DIALECT_SOURCES ${CMAKE_CURRENT_BINARY_DIR}/tensor/${family}Ops.cpp)
endforeach()
file(CONFIGURE OUTPUT tensor/Ops.h CONTENT "${all_headers}" @ONLY)
add_public_tablegen_target(TensorJITTensorIncGen)
set(TENSOR_DIALECT_DEPENDS TensorJITTensorIncGen tensorjit_generate)
