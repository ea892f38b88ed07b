// The loops around a nest's parallel points.
#include "cpu/emit/Plan.h"

using namespace mlir;

namespace tensorjit::cpu {

namespace {
class PlannedEmitter {
public:
  PlannedEmitter(Emission &emission, const Space &space, const Body &body, const Plan &plan)
      : emission_(emission), b_(emission.b), space_(space), plan_(plan),
        reductions_(emission, space, body, plan.reduction), start_(emission, space, body) {}

  void unit(Value number) {
    Point point = start_;
    Value block;
    if (plan_.block) {
      int64_t blocks = llvm::divideCeil(space_.sizes[plan_.laneDim], plan_.block);
      block = b_.rem(number, blocks);
      number = b_.div(number, blocks);
    }
    bindUnitDims(point, number);
    point.hoist();
    innerLoops(point, 0, block);
  }

private:
  void bindUnitDims(Point &point, Value number) {
    SmallVector<Value> indices(plan_.unitDims.size());
    for (size_t i = plan_.unitDims.size(); i-- > 0;) {
      int64_t size = space_.sizes[plan_.unitDims[i]];
      indices[i] = i == 0 ? number : b_.rem(number, size);
      if (i) number = b_.div(number, size);
    }
    for (auto [dim, index] : llvm::zip_equal(plan_.unitDims, indices)) point.bind(dim, index);
  }

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
    int64_t size = space_.sizes[plan_.laneDim], step = plan_.lanes * plan_.vectors, whole = size / step * step;
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

  void wholeSteps(const Point &point, Value lo, Value hi) {
    int64_t step = plan_.lanes * plan_.vectors;
    if (space_.sizes[plan_.laneDim] < step) return;
    b_.loop(lo, hi, step, [&](Value i) {
      SmallVector<Point> points(plan_.vectors, point);
      for (int64_t v = 0; v < plan_.vectors; ++v)
        points[v].bindLanes(plan_.laneDim, b_.add(i, v * plan_.lanes), plan_.lanes, {});
      reductions_.emit(points);
    });
  }

  void rest(const Point &point, int64_t from, int64_t size) {
    SmallVector<Point> points;
    for (int64_t i = from; i < size; i += plan_.lanes) {
      points.push_back(point);
      points.back().bindLanes(plan_.laneDim, b_.index(i), plan_.lanes, firstLanes(size - i));
    }
    reductions_.emit(points);
  }

  Value firstLanes(int64_t count) {
    if (count >= plan_.lanes) return {};
    SmallVector<bool> lanes(plan_.lanes);
    std::fill_n(lanes.begin(), count, true);
    return b_.constant(DenseElementsAttr::get(VectorType::get({plan_.lanes}, b_.b.getI1Type()), lanes));
  }

  Emission &emission_;
  Builder &b_;
  const Space &space_;
  const Plan &plan_;
  ReductionLoops reductions_;
  Point start_;
};
} // namespace

void emitPlanned(Emission &emission, const Space &space, const Body &body, const Plan &plan, Value lo, Value hi) {
  PlannedEmitter emitter(emission, space, body, plan);
  emission.b.loop(lo, hi, 1, [&](Value unit) { emitter.unit(unit); });
}

} // namespace tensorjit::cpu
