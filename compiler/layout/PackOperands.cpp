// Panels for the second operand of a contraction. The register tile reads `panel` columns of B at a time:
//
//   nest "linear" [parallel 128, parallel 200, reduction 784] ins(%x at (m, k), %w at (n, k) : tensor<200x784>)
// ->
//   %p = nest "pack" [parallel 4, parallel 784, parallel 64]
//          ins(%w pad 0.0 at (p, k, j) -> (p * 64 + j, k)) outs(tensor<4x784x64>)
//   nest "linear" [...] ins(%x at (m, k), %p at (m, n, k) -> (n floordiv 64, k, n mod 64))
#include "cpu/Tiling.h"
#include "layout/ContractionOperands.h"
#include "layout/LayoutSteps.h"
#include "nest/IndexExpr.h"
#include "nest/NestParts.h"

namespace tensorjit::layout {

using kernel::NestOp;

namespace {

// B seen from the contraction.
struct Operand {
  NestOp nest;
  unsigned input, vectorDim;
  AffineMap map;
  SmallVector<unsigned> batch, reduced; ///< dims of the nest that occur in B besides the vector dim

  int64_t columns() { return nest.getSize(vectorDim); }
  int64_t elements() {
    int64_t count = columns();
    for (unsigned dim : batch) count *= nest.getSize(dim);
    for (unsigned dim : reduced) count *= nest.getSize(dim);
    return count;
  }
  /// How often each element of B is used.
  int64_t uses() { return nest.getNumPoints() / std::max<int64_t>(1, elements()); }
  bool isContiguous() {
    AffineExpr last = map.getResults().back();
    if (last != getAffineDimExpr(vectorDim, nest->getContext())) return false;
    for (AffineExpr expr : map.getResults().drop_back())
      if (expr.isFunctionOfDim(vectorDim) || !expr.isPureAffine()) return false;
    return true;
  }
};

} // namespace

static Operand operandB(NestOp nest, const ContractionOperands &parts) {
  Operand b{nest, parts.b, parts.vectorDim, nest.getInputMap(parts.b), {}, {}};
  for (unsigned dim = 0; dim < nest.getNumDims(); ++dim)
    if (dim != parts.vectorDim && b.map.isFunctionOfDim(dim))
      (nest.isReduction(dim) ? b.reduced : b.batch).push_back(dim);
  return b;
}

// A gradient's B is an image or a batch: already as wide as the tile, or used too little to be worth a copy.
static bool wantsPacking(Operand &b, int64_t panel) {
  if (b.uses() <= 4) return false;
  if (!b.isContiguous()) return true;
  int64_t rowBytes = b.columns() * b.nest.getInputType(b.input).getElementTypeBitWidth() / 8;
  if (rowBytes % 4096 == 0) return true;
  return b.columns() > panel && b.uses() >= 64;
}

// A kernel that stages its operands reads B along the vector dim or, turning it round, along a reduced dim, if that is
// not another one than A is contiguous along.
static bool canBeStaged(Operand &b, AffineMap a) {
  if (b.isContiguous()) return true;
  auto last = dyn_cast<AffineDimExpr>(b.map.getResults().back());
  auto lastOfA = dyn_cast<AffineDimExpr>(a.getResults().back());
  bool agree = !lastOfA || lastOfA == last || !b.nest.isReduction(lastOfA.getPosition());
  return last && b.nest.isReduction(last.getPosition()) && agree;
}

static int64_t panelOf(Operand &b, int64_t rows, VectorUnit unit) {
  int64_t bytes = b.nest.getInputType(b.input).getElementTypeBitWidth() / 8;
  return cpu::contractionTile(rows, b.columns(), unit.bytes / bytes, unit.registers).panel;
}

static NestOp createPack(OpBuilder &builder, Operand &b, int64_t panel) {
  MLIRContext *context = builder.getContext();
  nest::NestParts parts(b.nest);
  parts.name = "pack";
  parts.schedule = {};
  parts.tile = {};
  parts.sizes.clear();
  parts.outputs.clear();
  // [batch..., panel, k..., column in the panel]
  SmallVector<AffineExpr> dims, dimOf(b.nest.getNumDims(), getAffineConstantExpr(0, context));
  auto addDim = [&](int64_t size) {
    parts.sizes.push_back(size);
    return dims.emplace_back(getAffineDimExpr(dims.size(), context));
  };
  for (unsigned dim : b.batch) dimOf[dim] = addDim(b.nest.getSize(dim));
  AffineExpr panels = addDim((b.columns() + panel - 1) / panel);
  for (unsigned dim : b.reduced) dimOf[dim] = addDim(b.nest.getSize(dim));
  dimOf[b.vectorDim] = panels * panel + addDim(panel);
  parts.reduction.assign(parts.sizes.size(), false);

  Type element = b.nest.getInputType(b.input).getElementType();
  AffineMap map = b.map.replaceDimsAndSymbols(dimOf, {}, dims.size(), 0);
  bool exact = b.columns() % panel == 0;
  parts.inputs = {{b.nest.getInputs()[b.input], nest::simplify(map, parts.sizes),
                   exact ? b.nest.getPad(b.input) : builder.getZeroAttr(element)}};
  parts.outputs.push_back({AffineMap::get(dims.size(), 0, dims, context), element});
  return parts.create(builder, [](OpBuilder &, ValueRange inputs) { return SmallVector<Value>(inputs); });
}

static void pack(NestOp nest, Operand &b, int64_t panel) {
  OpBuilder builder(nest);
  // Early, beside what it copies: packs of parameters then stand together.
  if (Operation *producer = nest.getInputs()[b.input].getDefiningOp()) builder.setInsertionPointAfter(producer);
  else builder.setInsertionPointToStart(nest->getBlock());
  NestOp packed = createPack(builder, b, panel);

  nest::NestParts parts(nest);
  SmallVector<AffineExpr> index;
  auto dim = [&](unsigned i) { return getAffineDimExpr(i, nest.getContext()); };
  for (unsigned i : b.batch) index.push_back(dim(i));
  index.push_back(dim(b.vectorDim).floorDiv(panel));
  for (unsigned i : b.reduced) index.push_back(dim(i));
  index.push_back(dim(b.vectorDim) % panel);
  AffineMap map = AffineMap::get(parts.sizes.size(), 0, index, nest.getContext());
  parts.inputs[b.input] = {packed.getResult(0), nest::simplify(map, parts.sizes), {}};
  builder.setInsertionPoint(nest);
  NestOp replacement =
      parts.create(builder, [&](OpBuilder &body, ValueRange inputs) { return nest::copyBody(body, nest, inputs); });
  nest.replaceAllUsesWith(replacement.getResults());
  nest.erase();
}

void packOperands(func::FuncOp function, std::optional<VectorUnit> unit) {
  for (auto nest : llvm::make_early_inc_range(function.getBody().front().getOps<NestOp>())) {
    auto parts = contractionOperands(nest);
    if (!parts || !isa<FloatType>(nest.getInputType(parts->b).getElementType()) || nest.getPad(parts->b)) continue;
    Operand b = operandB(nest, *parts);
    if (!unit) {
      if (b.uses() > 4 && !canBeStaged(b, nest.getInputMap(parts->a))) pack(nest, b, b.columns());
      continue;
    }
    // The last m dim is the one that is tiled.
    int64_t rows = 1;
    for (unsigned dim : nest.getParallelDims())
      if (dim != b.vectorDim && nest.getInputMap(parts->a).isFunctionOfDim(dim)) rows = nest.getSize(dim);
    int64_t panel = panelOf(b, rows, *unit);
    if (wantsPacking(b, panel)) pack(nest, b, panel);
  }
}

} // namespace tensorjit::layout
