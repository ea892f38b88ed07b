#include "layout/Layout.h"

#include "fuse/FusionSteps.h"

using namespace mlir;

namespace tensorjit {

void chooseLayouts(func::FuncOp function, std::optional<layout::VectorUnit> unit) {
  layout::splitDimsAtViews(function);
  fuse_nests::readArgumentsAsTheyLie(function);
  layout::chooseStorageOrder(function);
  layout::orderDims(function);
  if (unit) layout::turnOperands(function);
  layout::packOperands(function, unit);
}

} // namespace tensorjit
