// A view between nests ties down the memory order of what it views. Where it merges or splits dims, the nest on the
// merged side gets a dim for each part:
//
//   %v = kernel.view %x : tensor<8x4x7x7xf32> -> tensor<8x196xf32>
//   %r = nest [parallel 8, parallel 10, reduction 196] ins(%v at (n, k), %w at (o, k) : tensor<10x196xf32>)
// ->
//   %u = kernel.view %w : tensor<10x196xf32> -> tensor<10x4x7x7xf32>
//   %r = nest [parallel 8, parallel 10, reduction 4, reduction 7, reduction 7] ins(%x at (n, c, h, w), %u at (o, c, h,
//   w))
#include "layout/LayoutSteps.h"
#include "nest/IndexExpr.h"
#include "nest/NestParts.h"

namespace tensorjit::layout {

using kernel::NestOp;
using kernel::ViewOp;
using Parts = SmallVector<int64_t>;

// The parts of each dim where `fine` splits dims of `coarse`: [12, 5] and [3, 4, 5] give {3, 4}, {5}.
static std::optional<SmallVector<Parts>> partsOf(ArrayRef<int64_t> coarse, ArrayRef<int64_t> fine) {
  SmallVector<Parts> parts;
  for (int64_t size : coarse) {
    Parts &part = parts.emplace_back();
    int64_t product = 1;
    while (product < size && !fine.empty()) {
      part.push_back(fine.front());
      product *= fine.front();
      fine = fine.drop_front();
    }
    if (part.empty() && !fine.empty() && fine.front() == 1) {
      part.push_back(1);
      fine = fine.drop_front();
    }
    if (product != size || part.empty()) return std::nullopt;
  }
  if (!fine.empty()) return std::nullopt;
  return parts;
}

// The memory of `value` as another type, without a view on a view.
static Value viewAs(OpBuilder &builder, Location loc, Value value, RankedTensorType type) {
  while (auto view = value.getDefiningOp<ViewOp>()) value = view.getSource();
  return value.getType() == type ? value : ViewOp::create(builder, loc, type, value).getResult();
}

static RankedTensorType withParts(Type type, unsigned dim, ArrayRef<int64_t> parts) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  shape.erase(shape.begin() + dim);
  shape.insert(shape.begin() + dim, parts.begin(), parts.end());
  return tensor.clone(shape);
}

namespace {

class DimSplitter {
public:
  DimSplitter(NestOp nest, unsigned dim, ArrayRef<int64_t> parts)
      : nest_(nest), dim_(dim), parts_(parts), builder_(nest), split_(nest) {
    MLIRContext *context = nest.getContext();
    for (unsigned i = 0; i < parts.size(); ++i) partDims_.push_back(getAffineDimExpr(dim + i, context));
    for (unsigned i = 0; i < nest.getNumDims(); ++i)
      oldDims_.push_back(i == dim ? nest::linearize(partDims_, parts, context)
                                  : getAffineDimExpr(i < dim ? i : i + parts.size() - 1, context));
    split_.sizes.erase(split_.sizes.begin() + dim);
    split_.sizes.insert(split_.sizes.begin() + dim, parts.begin(), parts.end());
    bool reduction = split_.reduction[dim];
    split_.reduction.erase(split_.reduction.begin() + dim);
    split_.reduction.insert(split_.reduction.begin() + dim, parts.size(), reduction);
  }

  void run() {
    for (nest::Input &input : split_.inputs) {
      std::optional<unsigned> place = placeOf(input.map);
      // A nest that reads some of the points splits its index, not what it reads.
      if (place && cast<RankedTensorType>(input.tensor.getType()).getDimSize(*place) != nest_.getSizes()[dim_])
        place = std::nullopt;
      if (place && !input.pad)
        input.tensor =
            viewAs(builder_, nest_.getLoc(), input.tensor, withParts(input.tensor.getType(), *place, parts_));
      input.map = rewrite(input.map, input.pad ? std::nullopt : place);
    }
    for (nest::Output &output : split_.outputs) output.map = rewrite(output.map, placeOf(output.map));
    NestOp made = split_.create(builder_, [&](OpBuilder &b, ValueRange inputs) {
      return nest::copyBody(b, nest_, inputs, [&](unsigned dim) {
        return nest::materialize(b, nest_.getLoc(), oldDims_[dim], split_.sizes);
      });
    });
    for (auto [old, value] : llvm::zip_equal(nest_.getOutputs(), made.getOutputs()))
      replace(old, viewAs(builder_, nest_.getLoc(), value, cast<RankedTensorType>(old.getType())), value);
    nest_.erase();
  }

private:
  // Where the dim alone is an index; none when it also occurs elsewhere in the map.
  std::optional<unsigned> placeOf(AffineMap map) {
    std::optional<unsigned> place;
    for (unsigned i = 0; i < map.getNumResults(); ++i) {
      if (!map.getResult(i).isFunctionOfDim(dim_)) continue;
      if (place || !isa<AffineDimExpr>(map.getResult(i))) return std::nullopt;
      place = i;
    }
    return place;
  }

  AffineMap rewrite(AffineMap map, std::optional<unsigned> place) {
    SmallVector<AffineExpr> results;
    for (unsigned i = 0; i < map.getNumResults(); ++i) {
      if (place && i == *place) results.append(partDims_);
      else results.push_back(map.getResult(i).replaceDims(oldDims_));
    }
    return nest::simplify(AffineMap::get(split_.sizes.size(), map.getNumSymbols(), results, nest_.getContext()),
                          split_.sizes);
  }

  // Views of the old result become views of the new one.
  void replace(Value old, Value view, Value made) {
    for (OpOperand &use : llvm::make_early_inc_range(old.getUses())) {
      auto user = dyn_cast<ViewOp>(use.getOwner());
      if (!user) continue;
      OpBuilder builder(user);
      user.replaceAllUsesWith(viewAs(builder, user.getLoc(), made, user.getType()));
      user.erase();
    }
    old.replaceAllUsesWith(view);
    if (view != made && view.use_empty()) view.getDefiningOp()->erase();
  }

  NestOp nest_;
  unsigned dim_;
  Parts parts_;
  OpBuilder builder_;
  nest::NestParts split_;
  SmallVector<AffineExpr> partDims_, oldDims_;
};

} // namespace

// Splits the first dim of the nest that is a merged index in `map` and runs over all of it.
static bool splitAlong(NestOp nest, AffineMap map, ArrayRef<Parts> parts) {
  for (auto [expr, part] : llvm::zip_equal(map.getResults(), parts)) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (part.size() < 2 || !dim || llvm::product_of(part) != nest.getSizes()[dim.getPosition()]) continue;
    DimSplitter(nest, dim.getPosition(), part).run();
    return true;
  }
  return false;
}

static bool splitAtView(ViewOp view) {
  auto producer = view.getSource().getDefiningOp<NestOp>();
  // Memory that somebody else sees stays as it is, and then the merged dim is the better one to walk.
  bool movable = llvm::all_of(view.getSource().getUses(),
                              [](OpOperand &use) { return isa<ViewOp>(use.getOwner()) || followsOrder(use); });
  if (!producer || !movable) return false;
  ArrayRef<int64_t> from = view.getSource().getType().getShape(), to = view.getType().getShape();
  if (auto parts = partsOf(to, from))
    for (OpOperand &use : view.getResult().getUses())
      if (auto reader = dyn_cast<NestOp>(use.getOwner()))
        if (!reader.getPad(use.getOperandNumber()) &&
            splitAlong(reader, reader.getInputMap(use.getOperandNumber()), *parts))
          return true;
  bool readByNests = llvm::any_of(view->getUsers(), [](Operation *user) { return isa<NestOp>(user); });
  auto parts = partsOf(from, to);
  return parts && readByNests &&
         splitAlong(producer, producer.getOutputMap(cast<OpResult>(view.getSource()).getResultNumber()), *parts);
}

void splitDimsAtViews(func::FuncOp function) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (auto view : llvm::to_vector(function.getBody().front().getOps<ViewOp>()))
      if (splitAtView(view)) {
        changed = true;
        break;
      }
    for (auto view : llvm::make_early_inc_range(function.getBody().front().getOps<ViewOp>()))
      if (view.use_empty()) view.erase();
  }
}

} // namespace tensorjit::layout
