#include "layout/Layout.h"

using namespace mlir;

namespace tensorjit {

void chooseLayouts(func::FuncOp function, layout::VectorUnit unit) {
  layout::splitDimsAtViews(function);
  layout::chooseStorageOrder(function);
  layout::orderDims(function);
  layout::packOperands(function, unit);
}

} // namespace tensorjit
