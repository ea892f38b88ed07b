// Reads through a view become reads of what it views, where the index stays a sum of dims:
//
//   %v = kernel.view %x : tensor<8x1xf32> -> tensor<8xf32>
//   nest ins(%v at (i) -> (i))             ->   nest ins(%x at (i) -> (i, 0))
#include "fuse/FusionSteps.h"
#include "nest/IndexExpr.h"
#include "nest/NestParts.h"

namespace tensorjit::fuse_nests {

static bool isLinear(AffineMap map) {
  bool linear = true;
  for (AffineExpr expr : map.getResults())
    expr.walk([&](AffineExpr part) {
      linear &= part.getKind() != AffineExprKind::FloorDiv && part.getKind() != AffineExprKind::Mod &&
                part.getKind() != AffineExprKind::CeilDiv;
    });
  return linear;
}

static bool absorb(nest::Input &input, ArrayRef<int64_t> sizes) {
  auto view = input.tensor.getDefiningOp<kernel::ViewOp>();
  if (!view || input.pad) return false;
  AffineExpr position =
      nest::linearize(input.map.getResults(), view.getType().getShape(), input.map.getContext());
  SmallVector<AffineExpr> index = nest::delinearize(position, view.getSource().getType().getShape());
  AffineMap map = nest::simplify(AffineMap::get(input.map.getNumDims(), 0, index, input.map.getContext()), sizes);
  if (!isLinear(map)) return false;
  input = {view.getSource(), map, {}};
  return true;
}

void absorbViews(func::FuncOp function) {
  for (auto nest : llvm::make_early_inc_range(function.getBody().front().getOps<kernel::NestOp>())) {
    nest::NestParts parts(nest);
    bool changed = false;
    for (nest::Input &input : parts.inputs)
      while (absorb(input, parts.sizes)) changed = true;
    if (!changed) continue;
    OpBuilder builder(nest);
    auto replacement =
        parts.create(builder, [&](OpBuilder &b, ValueRange inputs) { return nest::copyBody(b, nest, inputs); });
    nest.replaceAllUsesWith(replacement.getResults());
    nest.erase();
  }
}

} // namespace tensorjit::fuse_nests
