#pragma once
#include "execute/CompilerInterface.h"
#include "layout/LayoutSteps.h"

namespace tensorjit {

/// Chooses how intermediate tensors lie in memory and in which order nests walk.
void chooseLayouts(mlir::func::FuncOp function, layout::VectorUnit unit);

} // namespace tensorjit
