#pragma once
#include "execute/CompilerInterface.h"
#include "layout/LayoutSteps.h"

namespace tensorjit {

/// Chooses how intermediate tensors lie in memory and in which order nests walk. No `unit`: for a device whose kernels
/// stage operands themselves.
void chooseLayouts(mlir::func::FuncOp function, std::optional<layout::VectorUnit> unit);

} // namespace tensorjit
