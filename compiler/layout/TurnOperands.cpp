// Turns the first operand of a contraction round where reading it as it lies would throw its lines out of the cache:
//
//   nest "matmul" [parallel 1024, parallel 784, reduction 1024] ins(%x at (k, m), %g at (k, n))
// ->
//   %t = nest "pack" [parallel 1024, parallel 1024] ins(%x at (m, k) -> (k, m)) outs(tensor<1024x1024>)
//   nest "matmul" [...] ins(%t at (m, k), %g at (k, n))
#include "layout/ContractionOperands.h"
#include "layout/LayoutSteps.h"
#include "nest/NestParts.h"

#include <numeric>

namespace tensorjit::layout {

using kernel::NestOp;

// Where A is read in steps so wide that the lines of a tile's rows meet in a few sets of the second-level cache, they
// are gone before the next rows want them: a product of 1024x1024 matrices takes 2.3 times as long. A is turned round
// to be read along k. What only misses the first level is hidden behind the multiply-adds.
static bool wantsTurning(NestOp nest, unsigned a) {
  AffineMap map = nest.getInputMap(a);
  if (nest.getPad(a) || !map.isProjectedPermutation(/*allowZeroInResults=*/false)) return false;
  auto isReduced = [&](AffineExpr expr) { return nest.isReduction(cast<AffineDimExpr>(expr).getPosition()); };
  if (llvm::count_if(map.getResults(), isReduced) != 1 || isReduced(map.getResults().back())) return false;
  RankedTensorType type = nest.getInputType(a);
  if (type.getNumElements() == 0) return false;
  int64_t stride = type.getElementTypeBitWidth() / 8, steps = 0;
  for (unsigned i = map.getNumResults(); i-- > 0 && !steps; stride *= type.getDimSize(i))
    if (isReduced(map.getResult(i))) steps = type.getDimSize(i);
  stride /= steps;
  constexpr int64_t lineBytes = 64, sets = 2048, ways = 12; // of 2 MiB; the other ways are B's
  int64_t used = stride % lineBytes ? sets : sets / std::gcd(sets, stride / lineBytes);
  return steps > used * ways && nest.getNumPoints() / type.getNumElements() >= 256;
}

static void turn(NestOp nest, unsigned a) {
  OpBuilder builder(nest);
  MLIRContext *context = nest.getContext();
  AffineMap map = nest.getInputMap(a);
  nest::NestParts parts(nest), copy(nest);
  // The places of A's dims in its turned form, the reduction last.
  SmallVector<unsigned> order;
  for (bool reduction : {false, true})
    for (unsigned i = 0; i < map.getNumResults(); ++i)
      if (nest.isReduction(cast<AffineDimExpr>(map.getResult(i)).getPosition()) == reduction) order.push_back(i);
  copy.name = "pack";
  copy.schedule = {};
  copy.tile = {};
  copy.sizes.clear();
  SmallVector<AffineExpr> read(order.size()), index;
  for (auto [place, dim] : llvm::enumerate(order)) {
    copy.sizes.push_back(nest.getInputType(a).getDimSize(dim));
    read[dim] = getAffineDimExpr(place, context);
    index.push_back(map.getResult(dim));
  }
  copy.reduction.assign(order.size(), false);
  copy.inputs = {{nest.getInputs()[a], AffineMap::get(order.size(), 0, read, context), {}}};
  copy.outputs = {{AffineMap::getMultiDimIdentityMap(order.size(), context), nest.getInputType(a).getElementType()}};
  NestOp turned = copy.create(builder, [](OpBuilder &, ValueRange inputs) { return SmallVector<Value>(inputs); });
  parts.inputs[a] = {turned.getResult(0), AffineMap::get(nest.getNumDims(), 0, index, context), {}};
  NestOp replacement =
      parts.create(builder, [&](OpBuilder &body, ValueRange inputs) { return nest::copyBody(body, nest, inputs); });
  nest.replaceAllUsesWith(replacement.getResults());
  nest.erase();
}

void turnOperands(func::FuncOp function) {
  for (auto nest : llvm::make_early_inc_range(function.getBody().front().getOps<NestOp>())) {
    auto parts = contractionOperands(nest);
    if (parts && isa<FloatType>(nest.getInputType(parts->b).getElementType()) && wantsTurning(nest, parts->a))
      turn(nest, parts->a);
  }
}

} // namespace tensorjit::layout
