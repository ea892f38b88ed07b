// Reads through a view that only adds or drops dims of one point become reads of what it views:
//
//   %v = kernel.view %x : tensor<8x1xf32> -> tensor<8xf32>
//   nest ins(%v at (i) -> (i))             ->   nest ins(%x at (i) -> (i, 0))
#include "fuse/FusionSteps.h"
#include "nest/IndexExpr.h"
#include "nest/NestParts.h"

namespace tensorjit::fuse_nests {

static SmallVector<int64_t> withoutOnes(ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> kept;
  llvm::copy_if(sizes, std::back_inserter(kept), [](int64_t size) { return size != 1; });
  return kept;
}

static bool absorb(nest::Input &input, ArrayRef<int64_t> sizes) {
  auto view = input.tensor.getDefiningOp<kernel::ViewOp>();
  if (!view || input.pad || input.map.getNumSymbols()) return false;
  ArrayRef<int64_t> from = view.getSource().getType().getShape(), to = view.getType().getShape();
  if (withoutOnes(from) != withoutOnes(to)) return false;
  AffineExpr position = nest::linearize(input.map.getResults(), to, input.map.getContext());
  SmallVector<AffineExpr> index = nest::delinearize(position, from);
  AffineMap map = AffineMap::get(input.map.getNumDims(), 0, index, input.map.getContext());
  input = {view.getSource(), nest::simplify(map, sizes), {}};
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
