// Recognises contractions and chooses their tile.
#include "cpu/Tiling.h"
#include "cpu/emit/Contraction.h"

using namespace mlir;

namespace tensorjit::cpu {

namespace {
struct Product {
  kernel::ReduceOp reduce;
  unsigned left, right; ///< inputs
};

struct TileChoice {
  double cycles = 0;
  int64_t vectors = 0;
  SmallVector<std::pair<unsigned, int64_t>> factors; ///< of row dims
};
} // namespace

// The body is sum(left * right) and an epilogue that does not vary over the reduction dims.
static std::optional<Product> matchProduct(const Space &space) {
  Body body(space);
  if (body.reductions().size() != 1 || !body.checks().empty()) return std::nullopt;
  auto reduce = dyn_cast<kernel::ReduceOp>(body.reductions().front());
  if (!reduce || reduce.getKind() != kernel::ReduceKind::Add) return std::nullopt;
  auto product = reduce.getValue().getDefiningOp<arith::MulFOp>();
  if (!product || !product->hasOneUse()) return std::nullopt;
  auto left = dyn_cast<BlockArgument>(product.getLhs()), right = dyn_cast<BlockArgument>(product.getRhs());
  if (!left || !right || left == right) return std::nullopt;
  kernel::NestOp nest = space.nest;
  for (Value yielded : nest.getYield().getOperands())
    if (body.variesOverReduction(yielded)) return std::nullopt;
  return Product{reduce, left.getArgNumber(), right.getArgNumber()};
}

static bool isZero(TypedAttr pad) {
  auto value = dyn_cast_or_null<FloatAttr>(pad);
  return value && value.getValue().isZero();
}

// A position that is a point of one reduction dim after whole chunks: c * 7 + n.
static bool isChunked(const Space &space, AffineExpr index) {
  LinearForm form = linearForm(index, space.dimCount());
  if (!form.atoms.empty() || form.constant) return false;
  int64_t steps = 0;
  for (unsigned dim = 0; dim < space.dimCount(); ++dim) {
    if (form.coefficients[dim] < 0) return false;
    if (space.reduction[dim]) steps += form.coefficients[dim];
  }
  return steps == 1;
}

// Products of two zeros from behind one and the same end need not be made.
static std::optional<ReductionBound> takeBound(Space &space, Access &left, Access &right) {
  if (!isZero(left.pad) || !isZero(right.pad)) return std::nullopt;
  for (const Guard &guard : left.guards) {
    if (!isChunked(space, guard.index) || !llvm::is_contained(right.guards, guard)) continue;
    Guard taken = guard;
    llvm::erase(left.guards, taken);
    llvm::erase(right.guards, taken);
    space.pinned.push_back(taken.index);
    return ReductionBound{unsigned(space.pinned.size() - 1), taken.size};
  }
  return std::nullopt;
}

bool Contraction::isBounded(unsigned dim) const {
  return bound && space.reduction[dim] && space.pinned[bound->place].isFunctionOfDim(dim);
}

static bool isContiguous(const Space &space, const Access &access, unsigned dim) {
  LinearForm form = space.addressForm(access);
  return access.guards.empty() && form.isLinearIn(dim) && form.coefficients[dim] == 1;
}

// P where the access reads its panels at (dim floordiv P, ..., dim mod P).
static int64_t panelWidth(const Space &space, const Access &access, unsigned dim) {
  for (auto [atom, factor] : space.addressForm(access).atoms) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(atom);
    if (!binary || atom.getKind() != AffineExprKind::Mod || factor != 1) continue;
    auto lane = dyn_cast<AffineDimExpr>(binary.getLHS());
    auto width = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (lane && width && lane.getPosition() == dim) return width.getValue();
  }
  return 0;
}

static bool isLinear(const Space &space, const Access &access) {
  return access.guards.empty() && space.addressForm(access).atoms.empty();
}

// A dim that chooses the slice of a padded copy, which the copy's own address does not show, or of a chain.
static bool isSliceDim(const Contraction &c, unsigned dim) {
  return c.space.isSliceNumber(dim) ||
         llvm::any_of(c.space.pinned, [&](AffineExpr pinned) { return pinned.isFunctionOfDim(dim); });
}

static SmallVector<unsigned> rowCandidates(const Contraction &c, unsigned laneDim) {
  SmallVector<unsigned> dims;
  for (unsigned dim : c.space.dims(/*reductionDims=*/false))
    if (dim != laneDim && !isSliceDim(c, dim) && c.space.inputs[c.a].dependsOn(dim) &&
        !c.space.inputs[c.b].dependsOn(dim))
      dims.push_back(dim);
  LinearForm form = c.space.addressForm(c.space.inputs[c.a]);
  llvm::sort(dims,
             [&](unsigned x, unsigned y) { return std::abs(form.coefficients[x]) < std::abs(form.coefficients[y]); });
  return dims;
}

// Cycles of a reduction step over all points of the row dims, when `whole` rows are unrolled beside `factor` of `size`.
static double rowCycles(int64_t size, int64_t factor, int64_t whole, int64_t vectors) {
  double cycles = size / factor * tileCycles(factor * whole, vectors);
  if (size % factor) cycles = (cycles + tileCycles(size % factor * whole, vectors)) * 1.01;
  return cycles / (size * whole);
}

static TileChoice chooseTile(const Contraction &c, ArrayRef<unsigned> rows, ArrayRef<int64_t> vectorCounts,
                             int registers) {
  TileChoice best;
  auto consider = [&](int64_t vectors, unsigned dim, int64_t factor, std::optional<unsigned> wholeDim) {
    int64_t whole = wholeDim ? c.space.sizes[*wholeDim] : 1;
    double cycles =
        rowCycles(c.space.sizes[dim], factor, whole, vectors) * llvm::divideCeil(c.columns, vectors * c.lanes);
    if (best.vectors && cycles >= best.cycles * 0.999) return;
    best = {cycles, vectors, {}};
    if (wholeDim) best.factors.push_back({*wholeDim, whole});
    best.factors.push_back({dim, factor});
  };
  for (int64_t vectors : vectorCounts) {
    int64_t most = maxTileRows(vectors, registers);
    for (unsigned dim : rows) {
      for (int64_t factor = std::min(most, c.space.sizes[dim]); factor > 0; --factor)
        consider(vectors, dim, factor, {});
      for (unsigned other : rows)
        for (int64_t factor = std::min(most / c.space.sizes[other], c.space.sizes[dim]); other != dim && factor > 0;
             --factor)
          consider(vectors, dim, factor, other);
    }
  }
  return best;
}

static void splitTile(Contraction &c, const TileChoice &tile, unsigned laneDim) {
  c.vectors = tile.vectors;
  c.panelDim = laneDim;
  c.laneDim = c.space.split(laneDim, c.panel());
  for (auto [dim, factor] : tile.factors) {
    int64_t size = c.space.sizes[dim];
    c.rows.push_back({dim, c.space.split(dim, factor), size, factor});
  }
}

static void orderReduction(Contraction &c) {
  LinearForm form = c.space.addressForm(c.space.inputs[c.b]);
  c.reductionDims = c.space.dims(/*reductionDims=*/true);
  llvm::stable_sort(c.reductionDims, [&](unsigned x, unsigned y) {
    return std::abs(form.coefficients[x]) > std::abs(form.coefficients[y]);
  });
}

// Sums through memory need the bare sum as the result.
static bool hasEpilogue(const Contraction &c) {
  auto yield = kernel::NestOp(c.space.nest).getYield();
  return yield.getNumOperands() != 1 || yield.getOperand(0) != c.reduce->getResult(0);
}

static bool planBlocking(Contraction &c) {
  if (c.reductionDims.size() == 1) return !isSliceDim(c, c.reductionDims[0]) || (c.bound && !c.copy);
  for (unsigned dim : c.space.dims(/*reductionDims=*/true))
    if (isSliceDim(c, dim)) {
      if (c.blockedDim >= 0) return false;
      c.blockedDim = dim;
    }
  if (c.blockedDim < 0 && c.reductionDims.size() > 1 && c.rows.size() > 1 && !hasEpilogue(c))
    c.blockedDim = c.reductionDims.front();
  if (c.blockedDim < 0) return true;
  llvm::erase(c.reductionDims, static_cast<unsigned>(c.blockedDim));
  return !hasEpilogue(c) && !c.reductionDims.empty();
}

// Whole rows of padding are left out, where a tile does not hold others beside them. An innermost loop stays whole: its
// count is what it is unrolled by.
static void planPadding(Contraction &c) {
  if (!c.copy) return;
  c.paddedDims = c.copy->paddedDims(c.space);
  llvm::erase_if(c.paddedDims, [&](const PaddedDim &padded) {
    bool innermost = padded.dim == c.reductionDims.back();
    bool insideTile = llvm::any_of(c.rows, [&](const RowDim &row) { return padded.index.isFunctionOfDim(row.inner); });
    return innermost || insideTile || !llvm::is_contained(c.reductionDims, padded.dim);
  });
}

// Panels outside, rows inside: a panel of B stays in the cache while A streams by.
static void planLoops(Contraction &c) {
  SmallVector<unsigned> shared, batch, rows;
  for (unsigned dim : c.space.dims(/*reductionDims=*/false)) {
    bool inner = dim == c.laneDim || llvm::any_of(c.rows, [&](const RowDim &row) { return row.inner == dim; });
    if (inner || dim == c.panelDim) continue;
    bool both = c.space.inputs[c.a].dependsOn(dim) && c.space.inputs[c.b].dependsOn(dim);
    if (isSliceDim(c, dim)) {
      shared.push_back(dim);
    } else if (both && c.blockedDim >= 0) {
      shared.push_back(dim);
    } else {
      (c.space.inputs[c.b].dependsOn(dim) ? batch : rows).push_back(dim);
    }
  }
  SmallVector<unsigned> tiles(batch);
  tiles.push_back(c.panelDim);
  tiles.append(rows);
  if (c.copy || c.blockedDim >= 0) {
    c.unitDims = shared;
    c.tileDims = tiles;
  } else {
    c.unitDims = shared;
    c.unitDims.append(tiles);
  }
  // Few images: their panels are shared out as well.
  if (c.copy && c.extent() < 8 && batch.empty() && c.space.sizes[c.panelDim] > 1) {
    c.unitDims.push_back(c.panelDim);
    c.tileDims.erase(c.tileDims.begin());
  }
}

static bool chooseOperands(Contraction &c, unsigned left, unsigned right, unsigned laneDim) {
  for (auto [a, b] : {std::pair(left, right), std::pair(right, left)}) {
    if (c.space.inputs[a].dependsOn(laneDim) || !c.space.inputs[b].dependsOn(laneDim)) continue;
    c.a = a;
    c.b = b;
    return c.space.inputs[b].guards.empty() && c.space.inputs[a].guards.empty();
  }
  return false;
}

static bool planTile(Contraction &c, unsigned laneDim, const Target &target) {
  SmallVector<unsigned> rows = rowCandidates(c, laneDim);
  if (rows.empty()) return false;
  c.columns = c.space.sizes[laneDim];
  const Access &b = c.space.inputs[c.b];
  SmallVector<int64_t> vectorCounts;
  if (int64_t width = panelWidth(c.space, b, laneDim)) {
    c.packed = true;
    if (width % c.lanes || width / c.lanes > 8) return false;
    vectorCounts = {width / c.lanes};
  } else {
    c.packed = false;
    if (!isContiguous(c.space, b, laneDim)) return false;
    vectorCounts = target.registers >= 32 ? SmallVector<int64_t>{4, 3, 2, 1} : SmallVector<int64_t>{2, 1};
  }
  TileChoice tile = chooseTile(c, rows, vectorCounts, target.registers);
  if (!tile.vectors) return false;
  splitTile(c, tile, laneDim);
  if (!isLinear(c.space, c.space.inputs[c.a]) || !isLinear(c.space, c.space.inputs[c.b])) return false;
  return c.space.addressForm(c.space.inputs[c.b]).coefficients[c.laneDim] == 1;
}

static std::optional<unsigned> commonLaneDim(const Space &space) {
  for (unsigned dim : space.dims(/*reductionDims=*/false)) {
    auto contiguous = [&](const Access &output) { return isContiguous(space, output, dim); };
    if (!space.isSliceNumber(dim) && llvm::all_of(space.outputs, contiguous)) return dim;
  }
  return std::nullopt;
}

std::optional<Contraction> matchContraction(const Space &space, const Target &target) {
  if (kernel::NestOp(space.nest).getSchedule() == "scalar" || llvm::is_contained(space.sizes, 0)) return std::nullopt;
  Contraction c{};
  c.blockedDim = -1;
  c.space = space;
  auto product = matchProduct(c.space);
  if (!product) return std::nullopt;
  c.reduce = product->reduce;
  c.bound = takeBound(c.space, c.space.inputs[product->left], c.space.inputs[product->right]);
  for (unsigned input : {product->left, product->right})
    if (!c.space.inputs[input].guards.empty()) {
      if (c.copy || !(c.copy = PaddedCopy::plan(c.space, input))) return std::nullopt;
    }
  mergeDims(c.space);
  if (c.space.dims(/*reductionDims=*/true).empty()) return std::nullopt; // a sum over one point
  auto laneDim = commonLaneDim(c.space);
  if (!laneDim || !chooseOperands(c, product->left, product->right, *laneDim)) return std::nullopt;
  c.lanes = target.lanes(product->reduce.getType().getIntOrFloatBitWidth() / 8);
  if (!planTile(c, *laneDim, target)) return std::nullopt;
  orderReduction(c);
  if (!planBlocking(c)) return std::nullopt;
  planPadding(c);
  planLoops(c);
  return c;
}

int64_t Contraction::extent() const {
  int64_t units = 1;
  for (unsigned dim : unitDims) units *= space.sizes[dim];
  return units;
}

double Contraction::unitSeconds() const {
  double products = double(space.points(true)) * space.points(false);
  return products / (2.0 * lanes * 3e9) / extent();
}

} // namespace tensorjit::cpu
