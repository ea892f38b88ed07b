// Folders of views.
#include "tensor/ShapeOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tensorjit::tj {

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  if (getX().getType() == getResult().getType()) return getX();
  if (auto inner = getX().getDefiningOp<ReshapeOp>()) {
    getXMutable().assign(inner.getX());
    return getResult();
  }
  return {};
}

OpFoldResult PermuteOp::fold(FoldAdaptor) {
  if (llvm::equal(getDims(), llvm::seq<int64_t>(0, static_cast<int64_t>(getDims().size())))) return getX();
  auto inner = getX().getDefiningOp<PermuteOp>();
  if (!inner) return {};
  SmallVector<int64_t> dims;
  for (int64_t d : getDims()) dims.push_back(inner.getDims()[static_cast<size_t>(d)]);
  setDims(dims);
  getXMutable().assign(inner.getX());
  return getResult();
}

OpFoldResult BroadcastToOp::fold(FoldAdaptor) {
  if (getX().getType() == getResult().getType()) return getX();
  if (auto inner = getX().getDefiningOp<BroadcastToOp>()) {
    getXMutable().assign(inner.getX());
    return getResult();
  }
  return {};
}

OpFoldResult SliceOp::fold(FoldAdaptor) {
  if (getX().getType() == getResult().getType() && getStep() == 1) return getX();
  return {};
}

} // namespace tensorjit::tj
