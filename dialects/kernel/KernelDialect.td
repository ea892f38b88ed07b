// The `kernel` dialect: one op is one kernel. See README.md for the forms that the code generators know.
#ifndef TENSORJIT_KERNEL_DIALECT
#define TENSORJIT_KERNEL_DIALECT

include "mlir/IR/OpBase.td"

def Kernel_Dialect : Dialect {
  let name = "kernel";
  let cppNamespace = "::tensorjit::kernel";
  let summary = "Fused loop nests over tensors";
  let description = [{
    A kernel is an iteration space of static size, operands that are read and written through affine index maps, and
    a scalar body in `arith` and `math`. Both code generators read this one form.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

#endif
