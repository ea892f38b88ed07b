#include "cpu/emit/Point.h"

#include "cpu/emit/ScalarOps.h"

using namespace mlir;

namespace tensorjit::cpu {

Point::Point(Emission &emission, const Space &space, const Body &body)
    : emission_(&emission), space_(&space), body_(&body), dims_(space.dimCount()), boundDims_(space.dimCount()) {}

void Point::bind(unsigned dim, Value index) {
  dims_[dim] = index;
  order_.push_back(dim);
  boundDims_.set(dim);
}

void Point::bindLanes(unsigned dim, Value first, int64_t lanes, Value active) {
  bind(dim, first);
  laneDim_ = dim;
  lanes_ = lanes;
  active_ = active;
}

Value Point::evaluate(Value bodyValue) {
  if (auto known = values_.find(bodyValue); known != values_.end()) return known->second;
  Value value;
  if (auto argument = dyn_cast<BlockArgument>(bodyValue)) {
    value = load(space_->inputs[argument.getArgNumber()]);
  } else {
    value = compute(bodyValue.getDefiningOp());
  }
  values_[bodyValue] = value;
  return value;
}

Value Point::evaluateLanes(Value bodyValue) { return emission_->b.broadcast(evaluate(bodyValue), lanes_); }

Value Point::compute(Operation *op) {
  if (auto indexOp = dyn_cast<kernel::IndexOp>(op)) {
    AffineExpr expr = space_->indices[indexOp.getDim()];
    Type i64 = emission_->b.b.getI64Type();
    if (!variesOverLanes(expr)) return arith::IndexCastOp::create(emission_->b.b, emission_->b.loc, i64, index(expr));
    Value lanes = laneIndices(expr);
    if (lanes.getType() == withLanes(i64, lanes_)) return lanes;
    return arith::ExtSIOp::create(emission_->b.b, emission_->b.loc, withLanes(i64, lanes_), lanes);
  }
  if (auto readOp = dyn_cast<kernel::ReadOp>(op)) return read(readOp);
  Values operands;
  bool vector = false;
  for (Value operand : op->getOperands()) {
    operands.push_back(evaluate(operand));
    vector |= isa<VectorType>(operands.back().getType());
  }
  if (vector)
    for (Value &operand : operands) operand = emission_->b.broadcast(operand, lanes_);
  if (auto check = dyn_cast<kernel::CheckIndexOp>(op))
    return emitCheckIndex(*emission_, check, operands[0], operands[1], vector ? active_ : Value());
  return emitScalarOp(*emission_, op, operands);
}

Value Point::read(kernel::ReadOp op) {
  SmallVector<Value> positions;
  for (Value position : op.getPositions()) positions.push_back(evaluate(position));
  positions_ = positions;
  Value value = load(space_->inputs[cast<BlockArgument>(op.getInput()).getArgNumber()]);
  positions_ = {};
  return value;
}

void Point::prepareAddresses() {
  for (const Access &access : space_->inputs) index(access.address);
  for (const Access &access : space_->outputs) index(access.address);
}

void Point::hoist() {
  auto isReady = [&](Value value) { return isKnown(value) || isa<BlockArgument>(value); };
  for (auto [argument, access] :
       llvm::zip_equal(kernel::NestOp(space_->nest).getBlock()->getArguments(), space_->inputs))
    if (!argument.use_empty() && !access.hasPositions() && areBound(body_->info(argument).dims)) evaluate(argument);
  for (Operation &op : kernel::NestOp(space_->nest).getBlock()->without_terminator()) {
    if (isa<kernel::ReduceOp, kernel::ArgReduceOp, kernel::ScanOp>(op) || isKnown(op.getResult(0))) continue;
    if (areBound(body_->info(op.getResult(0)).dims) && llvm::all_of(op.getOperands(), isReady))
      evaluate(op.getResult(0));
  }
}

} // namespace tensorjit::cpu
