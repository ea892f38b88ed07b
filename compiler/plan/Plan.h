#pragma once
#include "cpu/CpuCodegen.h"
#include "execute/Executable.h"
#include "graph/Graph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tensorjit {

/// An Executable in the making: all but the code.
struct Plan {
  Executable executable;
  std::vector<cpu::KernelRequest> kernels;
  std::vector<unsigned> launches; ///< the step that runs each kernel
};

/// Orders the steps, gives every value its memory, and turns ops that no lowering took into calls of eager kernels.
Plan planFunction(mlir::func::FuncOp function, const Graph &graph);

/// Enters what the code generator found out about each kernel.
void enterKernelInfo(Plan &plan, llvm::ArrayRef<cpu::KernelInfo> kernels);

} // namespace tensorjit
