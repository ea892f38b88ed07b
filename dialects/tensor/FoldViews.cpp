// Folders of views.
#include "op/ShapeIds.h"
#include "tensor/Folding.h"
#include "tensor/RecordOp.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tensorjit::tj {

/// The view of a view by the same op: a change in place.
static OpFoldResult skipInner(Operation *op, Operation *inner) {
  op->setOperand(0, inner->getOperand(0));
  return op->getResult(0);
}

/// Reshapes and broadcasts say the result's sizes, whatever came before.
static OpFoldResult foldOuter(Operation *op, OpId same) {
  if (op->getOperand(0).getType() == op->getResult(0).getType()) return op->getOperand(0);
  if (Operation *inner = producedBy(op->getOperand(0), same)) return skipInner(op, inner);
  return {};
}

static OpFoldResult foldReshape(Operation *op) { return foldOuter(op, opid::Reshape); }
static OpFoldResult foldBroadcastTo(Operation *op) { return foldOuter(op, opid::BroadcastTo); }

static ArrayRef<int64_t> dimsOf(Operation *op) { return op->getAttrOfType<DenseI64ArrayAttr>("dims"); }

static OpFoldResult foldPermute(Operation *op) {
  if (llvm::equal(dimsOf(op), llvm::seq<int64_t>(0, static_cast<int64_t>(dimsOf(op).size())))) return op->getOperand(0);
  Operation *inner = producedBy(op->getOperand(0), opid::Permute);
  if (!inner) return {};
  SmallVector<int64_t> dims;
  for (int64_t d : dimsOf(op)) dims.push_back(dimsOf(inner)[static_cast<size_t>(d)]);
  op->setAttr("dims", DenseI64ArrayAttr::get(op->getContext(), dims));
  return skipInner(op, inner);
}

static OpFoldResult foldSlice(Operation *op) {
  const bool whole = op->getOperand(0).getType() == op->getResult(0).getType();
  if (whole && op->getAttrOfType<IntegerAttr>("step").getInt() == 1) return op->getOperand(0);
  return {};
}

ArrayRef<Rewrites> viewRewrites() {
  static constexpr Rewrites table[] = {{opid::Reshape, foldReshape},
                                       {opid::Permute, foldPermute},
                                       {opid::BroadcastTo, foldBroadcastTo},
                                       {opid::Slice, foldSlice}};
  return table;
}

} // namespace tensorjit::tj
