// A pointwise producer computed by its consumer:
//
//   %p = nest [parallel 8] ins(%x at (i)) { yield exp(x) }                 nest [parallel 8, reduction 4]
//   %c = nest [parallel 8, reduction 4] ins(%p at (i), ...) { ... }   ->       ins(%x at (i), ...) { exp(x) ... }
//
// The producer's dims become expressions of the consumer's, so that transposes, broadcasts, slices and windows vanish.
#include "fuse/InlineProducer.h"

#include "fuse/Cost.h"
#include "nest/IndexExpr.h"

namespace tensorjit::fuse_nests {

static bool reads(const nest::Input &input, NestOp producer) {
  return input.tensor.getDefiningOp() == producer.getOperation();
}

bool isReordering(NestOp producer) {
  if (!isCopy(producer)) return false;
  AffineMap map = producer.getInputMap(0);
  return !producer.getPad(0) && map.isPermutation() &&
         producer.getInputType(0).getNumElements() == producer.getOutputType(0).getNumElements();
}

// The two factors of a contraction are read again and again; its other inputs are read once a result.
static bool isFactor(NestOp contraction, unsigned input) {
  return llvm::any_of(contraction.getBlock()->getArgument(input).getUsers(), [](Operation *user) {
    return isa<arith::MulFOp, arith::MulIOp>(user) &&
           llvm::any_of(user->getUsers(), [](Operation *sum) { return isa<kernel::ReduceOp>(sum); });
  });
}

std::string whyNotInlined(NestOp producer, NestOp consumer) {
  if (producer.hasReductionDims()) return "the producer reduces, and its sums are computed once";
  if (hasChecks(producer)) return "the producer checks indices";
  bool contraction = isContraction(consumer), copies = isCopy(producer);
  double points = 1, repeats = 0;
  for (unsigned dim = 0; dim < consumer.getNumDims(); ++dim)
    if (!contraction || !consumer.isReduction(dim)) points *= static_cast<double>(consumer.getSize(dim));
  for (auto [i, input] : llvm::enumerate(nest::NestParts(consumer).inputs)) {
    if (!reads(input, producer)) continue;
    if (input.map.getNumSymbols()) return "the consumer reads it at positions that are data";
    if (input.pad && !isReordering(producer)) return "the consumer reads beyond its edge";
    if (contraction && !copies && isFactor(consumer, i)) return "a contraction reads its factors many times";
    double elements = static_cast<double>(cast<RankedTensorType>(input.tensor.getType()).getNumElements());
    repeats = std::max(repeats, points / std::max(1.0, elements));
  }
  if (copies || repeats <= 1) return "";
  double cost = bodyCost(producer);
  bool single = producer.getNumPoints() == 1;
  if (cost > (single ? 16 : 2))
    return "its value would be computed " + std::to_string(static_cast<int64_t>(repeats)) + " times";
  return "";
}

// The producer's dims where the consumer reads its result at `map`.
static SmallVector<AffineExpr> producerDims(NestOp producer, unsigned result, AffineMap map) {
  SmallVector<AffineExpr> dims(producer.getNumDims(), getAffineConstantExpr(0, producer->getContext()));
  for (auto [made, read] : llvm::zip_equal(producer.getOutputMap(result).getResults(), map.getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(made)) dims[dim.getPosition()] = read;
  return dims;
}

NestOp inlineProducer(OpBuilder &builder, NestOp producer, NestOp consumer) {
  nest::NestParts old(consumer), parts = old;
  parts.inputs.clear();
  parts.loc = nest::fuseLocations(producer.getLoc(), consumer.getLoc());
  SmallVector<SmallVector<AffineExpr>> dimsOf; // of the producer, for each old input that reads it
  for (const nest::Input &input : old.inputs) {
    if (!reads(input, producer)) {
      parts.inputs.push_back(input);
      continue;
    }
    unsigned result = cast<OpResult>(input.tensor).getResultNumber();
    dimsOf.push_back(producerDims(producer, result, input.map));
    for (const nest::Input &own : nest::NestParts(producer).inputs) {
      AffineMap map = own.map.replaceDimsAndSymbols(dimsOf.back(), {}, parts.sizes.size(), own.map.getNumSymbols());
      parts.inputs.push_back({own.tensor, nest::simplify(map, parts.sizes), input.pad ? input.pad : own.pad});
    }
  }
  builder.setInsertionPoint(consumer);
  NestOp fused = parts.create(builder, [&](OpBuilder &b, ValueRange inputs) {
    SmallVector<Value> scalars;
    unsigned inlined = 0;
    for (const nest::Input &input : old.inputs) {
      if (!reads(input, producer)) {
        scalars.push_back(inputs.front());
        inputs = inputs.drop_front();
        continue;
      }
      const auto &dims = dimsOf[inlined++];
      auto index = [&](unsigned dim) { return nest::materialize(b, producer.getLoc(), dims[dim], parts.sizes); };
      SmallVector<Value> made = nest::copyBody(b, producer, inputs.take_front(producer.getNumInputs()), index);
      inputs = inputs.drop_front(producer.getNumInputs());
      scalars.push_back(made[cast<OpResult>(input.tensor).getResultNumber()]);
    }
    return nest::copyBody(b, consumer, scalars);
  });
  consumer.replaceAllUsesWith(fused.getResults());
  consumer.erase();
  return nest::tidy(builder, fused);
}

} // namespace tensorjit::fuse_nests
