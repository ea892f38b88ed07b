// The loops around a nest's parallel points.
#include "cpu/emit/Plan.h"
#include "cpu/emit/Transpose.h"
#include "cpu/emit/Units.h"

using namespace mlir;

namespace tensorjit::cpu {

namespace {
class PlannedEmitter {
public:
  PlannedEmitter(Emission &emission, const Space &space, const Body &body, const Plan &plan)
      : emission_(emission), b_(emission.b), space_(space), plan_(plan),
        reductions_(emission, space, body, plan.reduction), start_(emission, space, body) {
    if (plan.crossDim >= 0) transposed_.emplace(emission, space, plan);
  }

  /// One index for each unit dim, and the block of the lane dim where it is cut into blocks.
  void unit(ValueRange indices) {
    Point point = start_;
    for (auto [dim, index] : llvm::zip(plan_.unitDims, indices)) point.bind(dim, index);
    point.hoist();
    innerLoops(point, 0, plan_.block ? indices.back() : Value());
  }

private:
  void innerLoops(const Point &point, unsigned depth, Value block) {
    if (depth == plan_.innerDims.size()) {
      alongLanes(point, block);
      return;
    }
    unsigned dim = plan_.innerDims[depth];
    b_.loop(b_.index(0), b_.index(space_.sizes[dim]), 1, [&](Value i) {
      Point here = point;
      here.bind(dim, i);
      here.hoist();
      innerLoops(here, depth + 1, block);
    });
  }

  void alongLanes(const Point &point, Value block) {
    if (plan_.laneDim < 0) {
      SmallVector<Point> points{point};
      reductions_.emit(points);
      return;
    }
    int64_t size = space_.sizes[plan_.blockDim()], whole = size / step() * step();
    if (!block) {
      wholeSteps(point, b_.index(0), b_.index(whole));
      if (whole < size) rest(point, whole, size);
      return;
    }
    Value lo = b_.mul(block, plan_.block);
    wholeSteps(point, lo, b_.min(b_.add(lo, plan_.block), b_.index(whole)));
    if (whole == size) return;
    Value isLast = b_.compare(arith::CmpIPredicate::eq, block, b_.index((size - 1) / plan_.block));
    b_.ifThen(isLast, [&] { rest(point, whole, size); });
  }

  int64_t step() const { return plan_.crossDim >= 0 ? plan_.lanes : plan_.lanes * plan_.vectors; }

  void wholeSteps(const Point &point, Value lo, Value hi) {
    if (space_.sizes[plan_.blockDim()] < step()) return;
    b_.loop(lo, hi, step(), [&](Value i) {
      if (plan_.crossDim >= 0) return transposed_->emit(point, i, plan_.lanes);
      SmallVector<Point> points(plan_.vectors, point);
      for (int64_t v = 0; v < plan_.vectors; ++v)
        points[v].bindLanes(plan_.laneDim, b_.add(i, v * plan_.lanes), plan_.lanes, {});
      reductions_.emit(points);
    });
  }

  void rest(const Point &point, int64_t from, int64_t size) {
    if (plan_.crossDim >= 0) return transposed_->emit(point, b_.index(from), size - from);
    SmallVector<Point> points;
    for (int64_t i = from; i < size; i += plan_.lanes) {
      points.push_back(point);
      points.back().bindLanes(plan_.laneDim, b_.index(i), plan_.lanes, b_.firstLanes(size - i, plan_.lanes));
    }
    reductions_.emit(points);
  }

  Emission &emission_;
  Builder &b_;
  const Space &space_;
  const Plan &plan_;
  ReductionLoops reductions_;
  std::optional<TransposedBlocks> transposed_;
  Point start_;
};
} // namespace

void emitPlanned(Emission &emission, const Space &space, const Body &body, const Plan &plan, Value lo, Value hi) {
  PlannedEmitter emitter(emission, space, body, plan);
  SmallVector<int64_t> sizes;
  for (unsigned dim : plan.unitDims) sizes.push_back(space.sizes[dim]);
  if (plan.block) sizes.push_back(llvm::divideCeil(space.sizes[plan.blockDim()], plan.block));
  forEachUnit(emission.b, sizes, lo, hi, [&](ValueRange indices) { emitter.unit(indices); });
}

} // namespace tensorjit::cpu
