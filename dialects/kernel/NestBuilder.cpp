#include "kernel/NestBuilder.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tensorjit::kernel {

AffineExpr NestBuilder::dim(int64_t size, StringRef iterator) {
  sizes_.push_back(size);
  iterators_.push_back(iterator);
  return getAffineDimExpr(sizes_.size() - 1, builder_.getContext());
}

SmallVector<AffineExpr> NestBuilder::parallel(ArrayRef<int64_t> sizes) {
  SmallVector<AffineExpr> dims;
  for (int64_t size : sizes) dims.push_back(parallel(size));
  return dims;
}

unsigned NestBuilder::input(Value tensor, ArrayRef<AffineExpr> index, TypedAttr pad) {
  auto type = cast<RankedTensorType>(tensor.getType());
  inputs_.push_back({tensor, SmallVector<AffineExpr>(index), pad, type.getElementType()});
  return inputs_.size() - 1;
}

unsigned NestBuilder::output(Type elementType, ArrayRef<AffineExpr> index) {
  outputs_.push_back({Value(), SmallVector<AffineExpr>(index), {}, elementType});
  return outputs_.size() - 1;
}

AffineMap NestBuilder::mapOf(const Access &access) const {
  unsigned symbols = 0;
  for (AffineExpr expr : access.index)
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) symbols = std::max(symbols, symbol.getPosition() + 1);
  return AffineMap::get(sizes_.size(), symbols, access.index, builder_.getContext());
}

NestOp NestBuilder::create(Body body) {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  SmallVector<Attribute> pads;
  SmallVector<Type> types;
  for (const Access &access : inputs_) {
    inputs.push_back(access.tensor);
    maps.push_back(mapOf(access));
    pads.push_back(access.pad ? Attribute(access.pad) : builder_.getUnitAttr());
  }
  for (const Access &access : outputs_) {
    maps.push_back(mapOf(access));
    SmallVector<int64_t> shape;
    for (AffineExpr expr : access.index) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      shape.push_back(dim ? sizes_[dim.getPosition()] : 1);
    }
    types.push_back(RankedTensorType::get(shape, access.elementType));
  }
  auto nest = NestOp::create(builder_, loc_, types, builder_.getStringAttr(name_), builder_.getStrArrayAttr(iterators_),
                             builder_.getDenseI64ArrayAttr(sizes_), builder_.getAffineMapArrayAttr(maps),
                             builder_.getArrayAttr(pads), StringAttr(), DictionaryAttr(), inputs);
  Block &block = nest.getBody().emplaceBlock();
  for (const Access &access : inputs_) block.addArgument(scalarType(access.elementType), loc_);
  OpBuilder bodyBuilder = OpBuilder::atBlockEnd(nest.getBlock());
  SmallVector<Value> results = body(bodyBuilder, loc_, nest.getBlock()->getArguments());
  YieldOp::create(bodyBuilder, loc_, results);
  return nest;
}

} // namespace tensorjit::kernel
