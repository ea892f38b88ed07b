#include "cpu/emit/ReductionLoops.h"

#include "cpu/emit/Accumulator.h"
#include "cpu/emit/PrefixLanes.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tensorjit::cpu {

// Longest run of additions into one accumulator: bounds the error of a float sum whatever its length.
static constexpr int64_t maxChain = 128;
// Reduction points whose values are worth keeping: beyond the second-level cache computing is as fast as loading.
static constexpr int64_t maxKept = 32768;

ReductionLoops::ReductionLoops(Emission &emission, const Space &space, const Body &body, const ReductionPlan &plan)
    : emission_(emission), space_(space), body_(body), plan_(plan) {
  reverse_ = llvm::any_of(body.scans(), [](kernel::ScanOp scan) { return scan.getReverse(); });
  planKept();
}

static bool variesOverReduction(const Space &space, const Access &access) {
  return llvm::any_of(space.dims(/*reductionDims=*/true), [&](unsigned dim) { return access.dependsOn(dim); });
}

// An output may share the memory of an input with the same map: it must not be written before the last visit that
// reads that input.
unsigned ReductionLoops::storePhase(unsigned output) const {
  kernel::NestOp nest = space_.nest;
  unsigned phase = body_.info(nest.getYield().getOperand(output)).phase;
  for (unsigned i = 0; i < nest.getNumInputs(); ++i) {
    if (nest.getInputMap(i) != nest.getOutputMap(output) || nest.getInputType(i) != nest.getOutputType(output))
      continue;
    // The last phase may read it again, directly or through what is computed from it.
    phase = body_.phaseCount() - 1;
  }
  return phase;
}

void ReductionLoops::emit(MutableArrayRef<Point> points) {
  kernel::NestOp nest = space_.nest;
  for (Point &point : points) point.hoist();
  for (phase_ = 0; phase_ < body_.phaseCount(); ++phase_) {
    reductions_ = body_.reductions(phase_);
    if (phase_ == 0) llvm::append_range(reductions_, body_.scans());
    outputs_.clear();
    for (unsigned i = 0; i < nest.getNumOutputs(); ++i)
      if (variesOverReduction(space_, space_.outputs[i]) && storePhase(i) == phase_) outputs_.push_back(i);
    checks_.clear();
    for (kernel::CheckIndexOp check : body_.checks())
      if (body_.variesOverReduction(check.getResult()) && body_.info(check.getResult()).phase == phase_)
        checks_.push_back(check);
    if (hasWork()) emitPhase(points);
  }
  storeUniform(points);
}

bool ReductionLoops::hasWork() const { return !reductions_.empty() || !outputs_.empty() || !checks_.empty(); }

void ReductionLoops::emitPhase(MutableArrayRef<Point> points) {
  rounded_ = llvm::any_of(reductions_, isRounded);
  planChains();
  planRising();
  int64_t lanes = plan_.laneDim >= 0 ? plan_.lanes : points[0].lanes();
  Accumulators start = identities(points.size(), lanes);
  startRising(points, start);
  Accumulators sums = level(0, points, start);
  forEachAccumulator(points.size(), [&](size_t point, Operation *op, size_t first) {
    if (isa<kernel::ScanOp>(op)) return;
    ValueRange lanesOfOp = ValueRange(sums).slice(first, op->getNumResults());
    Values result = plan_.laneDim >= 0 ? combineLanes(emission_, op, lanesOfOp) : Values(lanesOfOp);
    for (auto [opResult, value] : llvm::zip_equal(op->getResults(), result)) points[point].set(opResult, value);
  });
  for (Point &point : points) point.hoist();
}

void ReductionLoops::storeUniform(MutableArrayRef<Point> points) {
  kernel::NestOp nest = space_.nest;
  for (Point &point : points) {
    SmallVector<std::pair<unsigned, Value>> stores;
    // All loads come before the first store: an output may lie where an input does.
    for (unsigned i = 0; i < nest.getNumOutputs(); ++i)
      if (!variesOverReduction(space_, space_.outputs[i]))
        stores.push_back({i, point.evaluate(nest.getYield().getOperand(i))});
    for (auto [output, value] : stores) point.store(space_.outputs[output], value);
  }
}

template <class Function> void ReductionLoops::forEachAccumulator(size_t pointCount, Function function) {
  size_t first = 0;
  for (size_t point = 0; point < pointCount; ++point)
    for (Operation *op : reductions_) {
      function(point, op, first);
      first += op->getNumResults();
    }
}

ReductionLoops::Accumulators ReductionLoops::identities(size_t pointCount, int64_t lanes) {
  Accumulators result;
  forEachAccumulator(pointCount, [&](size_t, Operation *op, size_t) {
    if (auto scan = dyn_cast<kernel::ScanOp>(op); scan && plan_.laneDim >= 0)
      result.push_back(prefixStart(emission_, scan, lanes));
    else llvm::append_range(result, identityOf(emission_, op, lanes));
  });
  return result;
}

ReductionLoops::Accumulators ReductionLoops::combineAll(ValueRange left, ValueRange right, bool roundedOnly) {
  Accumulators result;
  size_t perPoint = 0;
  for (Operation *op : reductions_) perPoint += op->getNumResults();
  forEachAccumulator(perPoint ? left.size() / perPoint : 0, [&](size_t, Operation *op, size_t first) {
    ValueRange a = left.slice(first, op->getNumResults()), b = right.slice(first, op->getNumResults());
    if (roundedOnly && !isRounded(op)) {
      llvm::append_range(result, b);
    } else {
      llvm::append_range(result, combine(emission_, op, a, b));
    }
  });
  return result;
}

ReductionLoops::Accumulators ReductionLoops::freshWhereRounded(ValueRange accumulators) {
  Accumulators result(accumulators);
  size_t perPoint = 0;
  for (Operation *op : reductions_) perPoint += op->getNumResults();
  forEachAccumulator(perPoint ? accumulators.size() / perPoint : 0, [&](size_t, Operation *op, size_t first) {
    if (isRounded(op)) result[first] = identityOf(emission_, op, lanesOf(accumulators[first].getType()))[0];
  });
  return result;
}

// From the inside out: a loop around a chain that would become too long gives each iteration its own.
void ReductionLoops::planChains() {
  fresh_.assign(plan_.loops.size(), false);
  int64_t chain = 1;
  if (plan_.laneDim >= 0)
    chain =
        std::min<int64_t>(maxChain, llvm::divideCeil(space_.sizes[plan_.laneDim], plan_.lanes * plan_.accumulators));
  for (unsigned depth = plan_.loops.size(); depth-- > 0;) {
    int64_t size = space_.sizes[plan_.loops[depth]];
    fresh_[depth] = rounded_ && chain * size > maxChain && chain > 1;
    chain = fresh_[depth] ? std::min(size, maxChain) : chain * size;
  }
}

// The value as an expression of the dims; null where it is not one.
static AffineExpr affineForm(const Space &space, Value value) {
  Operation *op = value.getDefiningOp();
  if (!op) return {};
  if (auto index = dyn_cast<kernel::IndexOp>(op)) return space.indices[index.getDim()];
  IntegerAttr constant;
  if (matchPattern(value, m_Constant(&constant))) return getAffineConstantExpr(constant.getInt(), value.getContext());
  if (!isa<arith::AddIOp, arith::MulIOp>(op)) return {};
  AffineExpr left = affineForm(space, op->getOperand(0)), right = affineForm(space, op->getOperand(1));
  if (!left || !right) return {};
  if (isa<arith::AddIOp>(op)) return left + right;
  return left.isSymbolicOrConstant() || right.isSymbolicOrConstant() ? left * right : AffineExpr();
}

// Whether the index goes up with every step of the loops, outer first.
static bool rises(const Space &space, Value index, ArrayRef<unsigned> loops) {
  AffineExpr expr = affineForm(space, index);
  if (!expr) return false;
  LinearForm form = linearForm(expr, space.dimCount());
  int64_t span = 0;
  for (unsigned dim : llvm::reverse(loops)) {
    if (!form.isLinearIn(dim) || form.coefficients[dim] <= span) return false;
    span += form.coefficients[dim] * (space.sizes[dim] - 1);
  }
  return true;
}

void ReductionLoops::planRising() {
  rising_.clear();
  if (plan_.laneDim >= 0) return;
  for (Operation *op : reductions_)
    if (auto arg = dyn_cast<kernel::ArgReduceOp>(op); arg && rises(space_, arg.getIndex(), plan_.loops))
      rising_.push_back(op);
}

// Nothing may be more extreme than the start: the index is the first point's then.
void ReductionLoops::startRising(MutableArrayRef<Point> points, Accumulators &accumulators) {
  forEachAccumulator(points.size(), [&](size_t i, Operation *op, size_t first) {
    if (!llvm::is_contained(rising_, op)) return;
    Point point = points[i];
    for (unsigned dim : plan_.loops) point.bind(dim, emission_.b.index(0));
    accumulators[first + 1] = point.evaluateLanes(cast<kernel::ArgReduceOp>(op).getIndex());
  });
}

ReductionLoops::Accumulators ReductionLoops::level(unsigned depth, ArrayRef<Point> points, ValueRange accumulators) {
  if (depth == plan_.loops.size()) return innermost(points, accumulators);
  Builder &b = emission_.b;
  int64_t size = space_.sizes[plan_.loops[depth]];
  auto run = [&](Value lo, Value hi, ValueRange init) {
    return b.loop(lo, hi, 1, init, [&](Value i, ValueRange in) { return iteration(depth, points, i, in); });
  };
  if (!rounded_ || size <= maxChain) return run(b.index(0), b.index(size), accumulators);
  return b.loop(b.index(0), b.index(size), maxChain, accumulators, [&](Value lo, ValueRange in) {
    Value hi = b.min(b.add(lo, maxChain), b.index(size));
    return combineAll(in, run(lo, hi, freshWhereRounded(in)), /*roundedOnly=*/true);
  });
}

ReductionLoops::Accumulators ReductionLoops::iteration(unsigned depth, ArrayRef<Point> points, Value i,
                                                       ValueRange accumulators) {
  SmallVector<Point> here(points);
  Value at = reverse_ ? emission_.b.sub(emission_.b.index(space_.sizes[plan_.loops[depth]] - 1), i) : i;
  for (Point &point : here) {
    point.bind(plan_.loops[depth], at);
    if (depth + 1 < plan_.loops.size() || plan_.laneDim >= 0) point.hoist();
  }
  if (!fresh_[depth]) return level(depth + 1, here, accumulators);
  return combineAll(accumulators, level(depth + 1, here, freshWhereRounded(accumulators)), /*roundedOnly=*/true);
}

ReductionLoops::Accumulators ReductionLoops::innermost(ArrayRef<Point> points, ValueRange accumulators) {
  if (plan_.laneDim >= 0) return alongLanes(points[0], accumulators);
  SmallVector<Point> here(points);
  return visit(here, accumulators);
}

// `count` vectors an iteration, each with accumulators of its own; these are combined at the end.
ReductionLoops::Accumulators ReductionLoops::vectors(const Point &point, Value lo, Value hi, int64_t count,
                                                     ValueRange accumulators) {
  Builder &b = emission_.b;
  size_t width = accumulators.size();
  Values init(accumulators);
  for (int64_t i = 1; i < count; ++i) llvm::append_range(init, identities(1, plan_.lanes));
  Values sums = b.loop(lo, hi, plan_.lanes * count, init, [&](Value r, ValueRange in) {
    Values next;
    for (int64_t i = 0; i < count; ++i) {
      Point here = point;
      Value first = reverse_ ? b.sub(b.add(hi, -plan_.lanes), b.sub(r, lo)) : b.add(r, i * plan_.lanes);
      here.bindLanes(plan_.laneDim, first, plan_.lanes, {});
      llvm::append_range(next, visit(here, in.slice(i * width, width)));
    }
    return next;
  });
  Values total(ValueRange(sums).take_front(width));
  for (int64_t i = 1; i < count; ++i)
    total = combineAll(total, ValueRange(sums).slice(i * width, width), /*roundedOnly=*/false);
  return total;
}

ReductionLoops::Accumulators ReductionLoops::alongLanes(const Point &point, ValueRange accumulators) {
  Builder &b = emission_.b;
  int64_t size = space_.sizes[plan_.laneDim], lanes = plan_.lanes, block = lanes * plan_.accumulators;
  int64_t blocked = size / block * block, whole = size / lanes * lanes;
  Values sums(accumulators);
  auto rest = [&] {
    Point here = point;
    here.bindLanes(plan_.laneDim, b.index(whole), lanes, b.firstLanes(size - whole, lanes));
    return visit(here, sums);
  };
  if (reverse_ && whole < size) sums = rest();
  if (rounded_ && blocked > block * maxChain) {
    sums = b.loop(b.index(0), b.index(blocked), block * maxChain, sums, [&](Value lo, ValueRange in) {
      Value hi = b.min(b.add(lo, block * maxChain), b.index(blocked));
      return combineAll(in, vectors(point, lo, hi, plan_.accumulators, freshWhereRounded(in)), /*roundedOnly=*/true);
    });
  } else if (blocked) {
    sums = vectors(point, b.index(0), b.index(blocked), plan_.accumulators, sums);
  }
  if (whole > blocked) sums = vectors(point, b.index(blocked), b.index(whole), 1, sums);
  return whole == size || reverse_ ? sums : rest();
}

// With the lanes along a reduction dim a point's row is contiguous; without, scratch would be a plane.
void ReductionLoops::planKept() {
  if (plan_.laneDim < 0 || space_.points(/*reductionDims=*/true) > maxKept) return;
  kernel::NestOp nest = space_.nest;
  SmallVector<std::pair<Value, unsigned>> used; // and the phase of the visit that uses it
  for (Operation *op : body_.reductions())
    for (Value operand : op->getOperands()) used.push_back({operand, body_.info(op->getResult(0)).phase - 1});
  for (unsigned i = 0; i < nest.getNumOutputs(); ++i)
    if (variesOverReduction(space_, space_.outputs[i])) used.push_back({nest.getYield().getOperand(i), storePhase(i)});
  findKept(std::move(used));
  for (auto &[value, memory] : kept_)
    memory = emission_.allocateScratch(value.getType(), space_.points(true) + plan_.lanes);
}

// What visits need, down to what earlier ones have computed already.
void ReductionLoops::findKept(SmallVector<std::pair<Value, unsigned>> used) {
  llvm::DenseSet<std::pair<Value, unsigned>> seen;
  while (!used.empty()) {
    auto [value, phase] = used.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || !body_.variesOverReduction(value) || !seen.insert({value, phase}).second) continue;
    if (isExpensive(op) && body_.info(value).phase < phase) {
      kept_.insert({value, {}});
      continue;
    }
    for (Value operand : op->getOperands()) used.push_back({operand, phase});
  }
}

Value ReductionLoops::keptIndex(Point &point) const {
  AffineExpr index = getAffineConstantExpr(0, kernel::NestOp(space_.nest).getContext());
  auto add = [&](unsigned dim) { index = index * space_.sizes[dim] + getAffineDimExpr(dim, index.getContext()); };
  for (unsigned dim : plan_.loops) add(dim);
  add(plan_.laneDim);
  return point.index(index);
}

void ReductionLoops::loadKept(Point &point) {
  for (auto [value, memory] : kept_) {
    if (body_.info(value).phase >= phase_) continue;
    auto type = VectorType::get({plan_.lanes}, value.getType());
    point.set(value, vector::LoadOp::create(emission_.b.b, emission_.b.loc, type, memory, keptIndex(point)));
  }
}

void ReductionLoops::storeKept(Point &point) {
  for (auto [value, memory] : kept_)
    if (body_.info(value).phase == phase_)
      vector::StoreOp::create(emission_.b.b, emission_.b.loc, point.evaluateLanes(value), memory, keptIndex(point));
}

// The scan's value at the point; returns the running value behind it.
Value ReductionLoops::scanPoint(Point &point, kernel::ScanOp scan, Value old) {
  Value value = point.evaluateLanes(scan.getValue());
  if (plan_.laneDim >= 0) {
    PrefixStep step = prefixLanes(emission_, scan, value, old, point.active());
    point.set(scan, step.result);
    return step.carry;
  }
  Value next = combine(emission_, scan, old, value)[0];
  point.set(scan, scan.getExclusive() ? old : next);
  return next;
}

ReductionLoops::Accumulators ReductionLoops::visit(MutableArrayRef<Point> points, ValueRange accumulators) {
  kernel::NestOp nest = space_.nest;
  if (plan_.laneDim >= 0)
    for (Point &point : points) loadKept(point);
  Accumulators next;
  forEachAccumulator(points.size(), [&](size_t i, Operation *op, size_t first) {
    Point &point = points[i];
    ValueRange old = accumulators.slice(first, op->getNumResults());
    if (auto scan = dyn_cast<kernel::ScanOp>(op)) return next.push_back(scanPoint(point, scan, old[0]));
    Values values;
    for (Value operand : op->getOperands()) values.push_back(point.evaluateLanes(operand));
    Values combined = llvm::is_contained(rising_, op)
                          ? combineRising(emission_, cast<kernel::ArgReduceOp>(op), old, values)
                          : combine(emission_, op, old, values);
    llvm::append_range(next, plan_.laneDim >= 0 ? selectActive(emission_, point.active(), combined, old) : combined);
  });
  for (Point &point : points) {
    for (kernel::CheckIndexOp check : checks_) point.evaluate(check.getResult());
    SmallVector<std::pair<unsigned, Value>> stores;
    for (unsigned i : outputs_) stores.push_back({i, point.evaluate(nest.getYield().getOperand(i))});
    for (auto [output, value] : stores) point.store(space_.outputs[output], value);
    if (plan_.laneDim >= 0) storeKept(point);
  }
  return next;
}

} // namespace tensorjit::cpu
