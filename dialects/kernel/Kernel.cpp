#include "kernel/Kernel.h"

#include "kernel/KernelDialect.cpp.inc"
#include "kernel/KernelEnums.cpp.inc"

#define GET_OP_CLASSES
#include "kernel/KernelOps.cpp.inc"

using namespace mlir;

namespace tensorjit::kernel {

void KernelDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "kernel/KernelOps.cpp.inc"
      >();
}

Type scalarType(Type elementType) {
  auto integer = dyn_cast<IntegerType>(elementType);
  return integer ? IntegerType::get(elementType.getContext(), integer.getWidth()) : elementType;
}

static RankedTensorType memoryType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.clone(scalarType(tensor.getElementType()));
}

bool NestOp::isReduction(unsigned dim) { return cast<StringAttr>(getIterators()[dim]).getValue() == "reduction"; }

static SmallVector<unsigned> dimsWhere(NestOp nest, bool reduction) {
  SmallVector<unsigned> dims;
  for (unsigned dim = 0; dim < nest.getNumDims(); ++dim)
    if (nest.isReduction(dim) == reduction) dims.push_back(dim);
  return dims;
}

SmallVector<unsigned> NestOp::getParallelDims() { return dimsWhere(*this, false); }
SmallVector<unsigned> NestOp::getReductionDims() { return dimsWhere(*this, true); }

int64_t NestOp::getNumPoints() {
  int64_t points = 1;
  for (int64_t size : getSizes()) points *= size;
  return points;
}

AffineMap NestOp::getInputMap(unsigned i) { return cast<AffineMapAttr>(getMaps()[i]).getValue(); }

TypedAttr NestOp::getPad(unsigned i) { return dyn_cast<TypedAttr>(getPads()[i]); }

RankedTensorType NestOp::getInputType(unsigned i) { return memoryType(getInputs()[i].getType()); }
RankedTensorType NestOp::getOutputType(unsigned i) { return memoryType(getOutputs()[i].getType()); }
YieldOp NestOp::getYield() { return cast<YieldOp>(getBlock()->getTerminator()); }

SmallVector<NestOp, 4> GroupOp::getNests() { return llvm::to_vector<4>(getBlock()->getOps<NestOp>()); }
YieldOp GroupOp::getYield() { return cast<YieldOp>(getBlock()->getTerminator()); }

SmallVector<NestOp, 4> ChainOp::getNests() { return llvm::to_vector<4>(getBlock()->getOps<NestOp>()); }
YieldOp ChainOp::getYield() { return cast<YieldOp>(getBlock()->getTerminator()); }

int64_t ScatterOp::getOuter() {
  return ShapedType::getNumElements(getResult().getType().getShape().take_front(getDim()));
}
int64_t ScatterOp::getInner() {
  return ShapedType::getNumElements(getResult().getType().getShape().drop_front(getDim() + 1));
}

bool isKernel(Operation *op) { return isa<NestOp, GroupOp, ChainOp, ScatterOp>(op); }

bool isSliceable(NestOp nest, int64_t slices) {
  if (nest.getNumDims() == 0 || nest.isReduction(0) || nest.getSize(0) == 0 || nest.getSize(0) % slices) return false;
  for (unsigned i = 0; i < nest.getNumOutputs(); ++i) {
    AffineMap map = nest.getOutputMap(i);
    if (map.getNumResults() == 0 || map.getResult(0) != getAffineDimExpr(0, nest.getContext())) return false;
  }
  return true;
}

bool readsOwnSlice(NestOp nest, unsigned input) {
  AffineMap map = nest.getInputMap(input);
  if (map.getNumResults() == 0) return false;
  AffineExpr outer = map.getResult(0), own = getAffineDimExpr(0, nest.getContext());
  int64_t extent = nest.getInputType(input).getDimSize(0), size = nest.getSize(0);
  if (outer == own) return extent == size;
  for (unsigned dim = 1; dim < nest.getNumDims(); ++dim)
    if (outer == own * nest.getSize(dim) + getAffineDimExpr(dim, nest.getContext()))
      return extent == size * nest.getSize(dim);
  return false;
}

OpFoldResult ViewOp::fold(FoldAdaptor) {
  if (auto inner = getSource().getDefiningOp<ViewOp>()) {
    getSourceMutable().assign(inner.getSource());
    return getResult();
  }
  return getSource().getType() == getType() ? OpFoldResult(getSource()) : OpFoldResult();
}

} // namespace tensorjit::kernel
