#include "nest/Body.h"

using namespace mlir;

namespace tensorjit::nest {

bool isExpensive(Operation *op) {
  return op && isa<math::MathDialect>(op->getDialect()) &&
         !isa<math::AbsFOp, math::AbsIOp, math::CopySignOp, math::SqrtOp, math::FloorOp, math::CeilOp, math::TruncOp,
              math::RoundEvenOp, math::FmaOp, math::IsNaNOp, math::IsInfOp, math::IsFiniteOp>(op);
}

static llvm::SmallBitVector dimsOf(const Space &space, const Access &access) {
  llvm::SmallBitVector dims(space.dimCount());
  for (unsigned dim = 0; dim < space.dimCount(); ++dim)
    if (access.dependsOn(dim)) dims.set(dim);
  return dims;
}

static bool isReduction(Operation *op) { return isa<kernel::ReduceOp, kernel::ArgReduceOp>(op); }

static ValueInfo infoOf(const Space &space, Operation &op, const DenseMap<Value, ValueInfo> &known) {
  ValueInfo info{llvm::SmallBitVector(space.dimCount()), 0};
  for (Value operand : op.getOperands()) {
    const ValueInfo &other = known.find(operand)->second;
    info.dims |= other.dims;
    info.phase = std::max(info.phase, other.phase);
  }
  if (auto index = dyn_cast<kernel::IndexOp>(op))
    for (unsigned dim = 0; dim < space.dimCount(); ++dim)
      if (space.indices[index.getDim()].isFunctionOfDim(dim)) info.dims.set(dim);
  if (isReduction(&op)) {
    for (unsigned dim : space.dims(/*reductionDims=*/true)) info.dims.reset(dim);
    ++info.phase;
  }
  if (isa<kernel::ScanOp>(op))
    for (unsigned dim : space.dims(/*reductionDims=*/true)) info.dims.set(dim);
  return info;
}

Body::Body(const Space &space) : reductionDims_(space.dimCount()) {
  for (unsigned dim : space.dims(/*reductionDims=*/true)) reductionDims_.set(dim);
  Block *block = kernel::NestOp(space.nest).getBlock();
  for (auto [argument, access] : llvm::zip_equal(block->getArguments(), space.inputs))
    info_[argument] = {dimsOf(space, access), 0};
  for (Operation &op : block->without_terminator()) {
    ValueInfo info = infoOf(space, op, info_);
    for (Value result : op.getResults()) info_[result] = info;
    operations_ += isExpensive(&op) ? 20 : 1;
    phaseCount_ = std::max(phaseCount_, info.phase + 1);
    if (isReduction(&op)) reductions_.push_back(&op);
    if (auto scan = dyn_cast<kernel::ScanOp>(op)) scans_.push_back(scan);
    if (auto check = dyn_cast<kernel::CheckIndexOp>(op)) checks_.push_back(check);
  }
}

SmallVector<Operation *> Body::reductions(unsigned phase) const {
  return llvm::to_vector(
      llvm::make_filter_range(reductions_, [&](Operation *op) { return info(op->getResult(0)).phase == phase + 1; }));
}

} // namespace tensorjit::nest
