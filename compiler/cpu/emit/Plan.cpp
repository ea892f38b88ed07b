#include "cpu/emit/Plan.h"
#include "cpu/emit/Transpose.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;

namespace tensorjit::cpu {

static constexpr int64_t blockElements = 2048;
static constexpr int64_t enoughUnits = 64;

static int64_t bytesOf(Type element) { return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8); }

static void forEachAccess(const Space &space, llvm::function_ref<void(const Access &, bool output)> function) {
  for (const Access &access : space.inputs) function(access, false);
  for (const Access &access : space.outputs) function(access, true);
}

// A register holds as many of the widest common element; mixed kernels take the 4-byte count and pairs of registers.
static int64_t lanesFor(const Space &space, const Target &target) {
  bool allWide = true;
  forEachAccess(space, [&](const Access &access, bool) { allWide &= bytesOf(access.element) == 8; });
  return target.lanes(allWide ? 8 : 4);
}

// Of an element that is read or written in a block of `lanes` rows along `cross`: log2(lanes) shuffles of a vector, and
// its load or store, twice. Lanes and rows that are not there cost as much.
static double transposedCost(const Space &space, unsigned cross, int64_t lanes) {
  double used = double(space.sizes[cross]) / llvm::alignTo(space.sizes[cross], lanes);
  return (std::log2(lanes) + 4) / lanes / used;
}

// Time of a point when `dim` runs along the lanes, in arbitrary units; a lane that does not lie beside its neighbour
// costs about a load of its own. `cross` is a dim to turn blocks round with, or -1.
static double laneCost(const Space &space, const Body &body, unsigned dim, int cross, int64_t lanes) {
  double cost = body.operations() / lanes;
  forEachAccess(space, [&](const Access &access, bool output) {
    LinearForm form = space.addressForm(access);
    if (!access.dependsOn(dim)) {
      cost += 1.0 / lanes;
    } else if (form.isLinearIn(dim) && form.coefficients[dim] == 1) {
      cost += 1.0 / lanes;
    } else if (cross >= 0 && isTransposable(space, access, dim, cross)) {
      cost += transposedCost(space, cross, lanes);
    } else {
      cost += output ? 2.0 : 1.0;
    }
  });
  int64_t size = space.sizes[dim];
  double used = double(size) / llvm::alignTo(size, lanes);
  // Lanes of a reduction are combined at the end.
  double tail = space.reduction[dim] ? 8.0 * body.reductions().size() / size : 0;
  return cost / used + tail;
}

static double scalarCost(const Space &space, const Body &body) {
  return body.operations() + space.inputs.size() + space.outputs.size();
}

namespace {
struct LaneChoice {
  int lane = -1, cross = -1;
};
} // namespace

// A small tensor takes less time than the code for its blocks takes to compile.
static constexpr int64_t worthTransposing = 1 << 16;

static bool canTranspose(const Space &space, const Body &body, unsigned lane, unsigned cross) {
  if (lane == cross || space.isSliceNumber(cross) || !space.dims(/*reductionDims=*/true).empty() ||
      !body.checks().empty())
    return false;
  if (space.points(/*reductionDims=*/false) < worthTransposing) return false;
  bool any = false;
  forEachAccess(space, [&](const Access &access, bool) { any |= isTransposable(space, access, lane, cross); });
  return any;
}

// Lanes of a scan write side by side: scattered, each point of the dim would wait for all of them. Lanes of a product
// along its own dim would be products of their own, which may overflow.
static bool canScanInLanes(const Space &space, kernel::ScanOp scan, unsigned dim) {
  if (space.reduction[dim] && scan.getKind() == kernel::ReduceKind::Mul) return false;
  return llvm::all_of(space.outputs, [&](const Access &access) {
    LinearForm form = space.addressForm(access);
    return !access.dependsOn(dim) || (form.isLinearIn(dim) && form.coefficients[dim] == 1);
  });
}

static bool canBeLanes(const Space &space, const Body &body, unsigned dim) {
  if (space.sizes[dim] < 2 || space.isSliceNumber(dim)) return false;
  return llvm::all_of(body.scans(), [&](kernel::ScanOp scan) { return canScanInLanes(space, scan, dim); });
}

static LaneChoice chooseLanes(const Space &space, const Body &body, int64_t lanes) {
  if (auto schedule = kernel::NestOp(space.nest).getSchedule(); schedule == "scalar") return {};
  LaneChoice best;
  double bestCost = scalarCost(space, body);
  auto consider = [&](unsigned lane, int cross) {
    double cost = laneCost(space, body, lane, cross, lanes);
    if (cost > bestCost) return;
    best = {int(lane), cross};
    bestCost = cost;
  };
  for (unsigned lane = 0; lane < space.dimCount(); ++lane) {
    if (!canBeLanes(space, body, lane)) continue;
    consider(lane, -1);
    for (unsigned cross = 0; cross < space.dimCount(); ++cross)
      if (canTranspose(space, body, lane, cross)) consider(lane, cross);
  }
  return best;
}

static int64_t vectorsFor(const Space &space, const Body &body, const Plan &plan) {
  if (!body.scans().empty()) return std::min<int64_t>(4, llvm::divideCeil(space.sizes[plan.laneDim], plan.lanes));
  if (body.reductions().empty()) return 1;
  int64_t registers = 0;
  for (Operation *op : body.reductions())
    for (Value result : op->getResults()) registers += llvm::divideCeil(bytesOf(result.getType()), 4);
  int64_t wanted = std::max<int64_t>(1, 8 / registers);
  return std::min<int64_t>({wanted, 4, static_cast<int64_t>(llvm::divideCeil(space.sizes[plan.laneDim], plan.lanes))});
}

static bool hasExpensiveOps(const Space &space) {
  return llvm::any_of(kernel::NestOp(space.nest).getBlock()->getOperations(),
                      [](Operation &op) { return isExpensive(&op); });
}

static void planReduction(Plan &plan, const Space &space, const Body &body, int laneDim) {
  for (unsigned dim : space.dims(/*reductionDims=*/true))
    if (int(dim) != laneDim) plan.reduction.loops.push_back(dim);
  if (laneDim < 0 || !space.reduction[laneDim]) return;
  plan.reduction.laneDim = laneDim;
  plan.reduction.lanes = plan.lanes;
  // Transcendentals take longer than the latency of the addition behind them.
  plan.reduction.accumulators = hasExpensiveOps(space) || !body.scans().empty() ? 1 : 4;
}

// Outer dims become units until there are enough of them for any number of threads.
static void planUnits(Plan &plan, const Space &space) {
  int64_t units = 1;
  for (unsigned dim : space.dims(/*reductionDims=*/false)) {
    if (int(dim) == plan.laneDim || int(dim) == plan.crossDim) continue;
    (units < enoughUnits ? plan.unitDims : plan.innerDims).push_back(dim);
    units *= space.sizes[dim];
  }
  if (plan.laneDim < 0 || !plan.innerDims.empty() || units >= enoughUnits) return;
  if (plan.crossDim >= 0)
    plan.block = llvm::alignTo(llvm::divideCeil(space.sizes[plan.crossDim] * units, enoughUnits), plan.lanes);
  else if (space.sizes[plan.laneDim] > blockElements) plan.block = blockElements;
}

int64_t Plan::extent(const Space &space) const {
  int64_t units = 1;
  for (unsigned dim : unitDims) units *= space.sizes[dim];
  if (laneDim >= 0 && space.sizes[laneDim] == 0) return 0;
  return block ? units * llvm::divideCeil(space.sizes[blockDim()], block) : units;
}

static double estimateUnit(const Plan &plan, const Space &space, const Body &body, const Target &target) {
  int64_t extent = plan.extent(space);
  if (extent == 0) return 0;
  double points = double(space.points(true)) * space.points(false) / extent;
  int lane = plan.laneDim >= 0 ? plan.laneDim : plan.reduction.laneDim;
  double cyclesPerPoint =
      lane < 0 ? scalarCost(space, body) : laneCost(space, body, lane, plan.crossDim, lanesFor(space, target));
  return points * cyclesPerPoint / 3e9;
}

// A nest whose only parallel dim runs along the lanes would be one thread's: its vectors are shared out instead of
// standing side by side.
static void shareVectors(Plan &plan, const Space &space, const Body &body, const Target &target) {
  if (plan.laneDim < 0 || plan.vectors == 1 || plan.extent(space) >= 4) return;
  if (estimateUnit(plan, space, body, target) < 50e-6) return;
  int64_t total = llvm::divideCeil(space.sizes[plan.laneDim], plan.lanes);
  plan.vectors = std::min<int64_t>(plan.vectors, llvm::divideCeil(total, 4));
  plan.block = plan.vectors * plan.lanes;
}

Plan makePlan(const Space &space, const Body &body, const Target &target) {
  Plan plan;
  int64_t lanes = lanesFor(space, target);
  auto [laneDim, crossDim] = chooseLanes(space, body, lanes);
  if (laneDim >= 0) plan.lanes = lanes;
  planReduction(plan, space, body, laneDim);
  if (laneDim >= 0 && !space.reduction[laneDim]) {
    plan.laneDim = laneDim;
    plan.crossDim = crossDim;
    plan.vectors = vectorsFor(space, body, plan);
  }
  planUnits(plan, space);
  shareVectors(plan, space, body, target);
  bool reduces = !space.dims(true).empty();
  if (laneDim >= 0) plan.skeleton = !reduces ? "pointwise" : plan.laneDim >= 0 ? "column_reduction" : "row_reduction";
  plan.unitSeconds = estimateUnit(plan, space, body, target);
  return plan;
}

} // namespace tensorjit::cpu
