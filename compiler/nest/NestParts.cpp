#include "nest/NestParts.h"

#include "kernel/NestBuilder.h"
#include "nest/IndexExpr.h"

#include "mlir/IR/IRMapping.h"

namespace tensorjit::nest {

NestParts::NestParts(NestOp nest)
    : name(nest.getSymName()), loc(nest.getLoc()), sizes(nest.getSizes()), schedule(nest.getScheduleAttr()),
      tile(nest.getTileAttr()) {
  for (unsigned dim = 0; dim < nest.getNumDims(); ++dim) reduction.push_back(nest.isReduction(dim));
  for (unsigned i = 0; i < nest.getNumInputs(); ++i)
    inputs.push_back({nest.getInputs()[i], nest.getInputMap(i), nest.getPad(i)});
  for (unsigned i = 0; i < nest.getNumOutputs(); ++i)
    outputs.push_back({nest.getOutputMap(i), cast<RankedTensorType>(nest.getOutputs()[i].getType()).getElementType()});
}

NestOp NestParts::create(OpBuilder &builder, Body body) const {
  kernel::NestBuilder nest(builder, loc, name);
  for (auto [size, isReduction] : llvm::zip_equal(sizes, reduction))
    isReduction ? nest.reduction(size) : nest.parallel(size);
  for (const Input &input : inputs) nest.input(input.tensor, input.map.getResults(), input.pad);
  for (const Output &output : outputs) nest.output(output.elementType, output.map.getResults());
  NestOp made = nest.create([&](OpBuilder &b, Location, ValueRange in) { return body(b, in); });
  made.setScheduleAttr(schedule);
  made.setTileAttr(tile);
  return made;
}

SmallVector<Value> copyBody(OpBuilder &builder, NestOp nest, ValueRange inputs,
                            llvm::function_ref<Value(unsigned dim)> index) {
  IRMapping mapping;
  mapping.map(nest.getBlock()->getArguments(), inputs);
  for (Operation &op : nest.getBlock()->without_terminator()) {
    if (auto indexOp = dyn_cast<kernel::IndexOp>(op)) mapping.map(indexOp.getResult(), index(indexOp.getDim()));
    else builder.clone(op, mapping);
  }
  SmallVector<Value> results;
  for (Value value : nest.getYield().getOperands()) results.push_back(mapping.lookup(value));
  return results;
}

SmallVector<Value> copyBody(OpBuilder &builder, NestOp nest, ValueRange inputs) {
  return copyBody(builder, nest, inputs, [&](unsigned dim) -> Value {
    return kernel::IndexOp::create(builder, nest.getLoc(), builder.getI64Type(), dim);
  });
}

NestOp changeSpace(OpBuilder &builder, NestOp nest, ArrayRef<int64_t> sizes, ArrayRef<bool> reduction,
                   ArrayRef<AffineExpr> oldDims) {
  NestParts parts(nest);
  parts.sizes.assign(sizes.begin(), sizes.end());
  parts.reduction.assign(reduction.begin(), reduction.end());
  auto rewrite = [&](AffineMap map) {
    return simplify(map.replaceDimsAndSymbols(oldDims, {}, sizes.size(), map.getNumSymbols()), sizes);
  };
  for (Input &input : parts.inputs) input.map = rewrite(input.map);
  for (Output &output : parts.outputs) output.map = rewrite(output.map);
  for (auto [output, type] : llvm::zip_equal(parts.outputs, nest.getOutputs().getTypes()))
    for (auto [expr, size] : llvm::zip_equal(output.map.getResults(), cast<RankedTensorType>(type).getShape())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (dim ? sizes[dim.getPosition()] != size : size != 1 || !isa<AffineConstantExpr>(expr)) return {};
    }
  return parts.create(builder, [&](OpBuilder &b, ValueRange inputs) {
    return copyBody(b, nest, inputs, [&](unsigned dim) { return materialize(b, nest.getLoc(), oldDims[dim], sizes); });
  });
}

Location fuseLocations(Location a, Location b) {
  SmallVector<Location> all;
  for (Location loc : {a, b}) {
    if (auto fused = dyn_cast<FusedLoc>(loc)) llvm::append_range(all, fused.getLocations());
    else all.push_back(loc);
  }
  return FusedLoc::get(a.getContext(), all);
}

int64_t numPoints(ArrayRef<int64_t> sizes) {
  int64_t points = 1;
  for (int64_t size : sizes) points *= size;
  return points;
}

} // namespace tensorjit::nest
