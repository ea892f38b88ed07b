// How a point finds, reads and writes its elements.
#include "cpu/emit/Half.h"
#include "cpu/emit/Point.h"

#include "kernel/AffineRange.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tensorjit::cpu {

// floordiv and mod of a value that may be negative: shifted up by a multiple of the divisor.
static int64_t shiftToPositive(AffineExpr expr, ArrayRef<int64_t> sizes, int64_t divisor) {
  auto range = kernel::rangeOf(expr, sizes);
  return range && range->lo < 0 ? llvm::divideCeil(-range->lo, divisor) : 0;
}

static Value divideFloor(Builder &b, Value value, int64_t divisor, int64_t shift, bool remainder) {
  Type type = value.getType();
  if (shift) value = b.add(value, b.integer(type, shift * divisor));
  if (remainder) return b.rem(value, divisor);
  value = b.div(value, divisor);
  return shift ? b.sub(value, b.integer(type, shift)) : value;
}

static std::pair<AffineExpr, int64_t> divisionOf(AffineExpr expr) {
  auto binary = cast<AffineBinaryOpExpr>(expr);
  return {binary.getLHS(), cast<AffineConstantExpr>(binary.getRHS()).getValue()};
}

Value Point::atom(AffineExpr expr) {
  auto [dividend, divisor] = divisionOf(expr);
  int64_t shift = shiftToPositive(dividend, space_->sizes, divisor);
  return divideFloor(emission_->b, index(dividend), divisor, shift, expr.getKind() == AffineExprKind::Mod);
}

// Whether the dims bound at `count` are the last that the expression needs.
static bool completes(AffineExpr expr, ArrayRef<unsigned> order, size_t count) {
  if (!expr.isFunctionOfDim(order[count])) return false;
  return llvm::none_of(order.drop_front(count + 1), [&](unsigned dim) { return expr.isFunctionOfDim(dim); });
}

// Terms of outer loops come first, so that the sums of what an inner loop does not change can leave it; what a point
// in an outer loop has summed up is not summed up again.
Value Point::index(AffineExpr expr) {
  Builder &b = emission_->b;
  LinearForm form = linearForm(expr, space_->dimCount());
  PartialSum &known = sums_[expr];
  PartialSum sum = known;
  auto addTerm = [&](Value value, int64_t factor) {
    if (auto constant = getConstantIntValue(value)) {
      sum.constant += *constant * factor;
      return;
    }
    Value term = b.mul(value, factor);
    sum.sum = sum.sum ? b.add(sum.sum, term) : term;
  };
  bool whole = true;
  for (; sum.dims < order_.size(); ++sum.dims) {
    unsigned dim = order_[sum.dims];
    if (form.coefficients[dim]) addTerm(dims_[dim], form.coefficients[dim]);
    for (auto [part, factor] : form.atoms)
      if (!positionOf(part) && completes(part, order_, sum.dims)) addTerm(atom(part), factor);
  }
  // A sum may only be continued where no atom still waits for a dim.
  for (auto [part, factor] : form.atoms)
    for (unsigned dim = 0; dim < space_->dimCount(); ++dim)
      whole &= positionOf(part) || !part.isFunctionOfDim(dim) || boundDims_.test(dim);
  if (whole) sums_[expr] = sum;
  // Positions differ from one read to the next.
  for (auto [part, factor] : form.atoms)
    if (auto position = positionOf(part); position && !positions_.empty())
      addTerm(b.b.createOrFold<arith::IndexCastOp>(b.loc, b.b.getIndexType(), positions_[*position]), factor);
  int64_t constant = sum.constant + form.constant;
  return sum.sum ? b.add(sum.sum, constant) : b.index(constant);
}

static bool fitsInt32(AffineExpr expr, ArrayRef<int64_t> sizes) {
  auto range = kernel::rangeOf(expr, sizes);
  return range && range->lo > INT32_MIN / 4 && range->hi < INT32_MAX / 4;
}

Value Point::laneIndices(AffineExpr expr, std::optional<int64_t> bound) {
  Builder &b = emission_->b;
  bool narrow = bound ? *bound < INT32_MAX / 4 : fitsInt32(expr, space_->sizes);
  Type type = narrow ? b.b.getI32Type() : b.b.getI64Type();
  LinearForm form = linearForm(expr, space_->dimCount());
  AffineExpr uniform = getAffineConstantExpr(form.constant, expr.getContext());
  for (unsigned dim = 0; dim < space_->dimCount(); ++dim)
    uniform = uniform + getAffineDimExpr(dim, expr.getContext()) * form.coefficients[dim];
  Value sum;
  for (auto [part, factor] : form.atoms) {
    if (!variesOverLanes(part)) {
      uniform = uniform + part * factor;
      continue;
    }
    Value lanes;
    if (auto position = positionOf(part)) {
      lanes = b.broadcast(positions_[*position], lanes_);
    } else {
      auto [dividend, divisor] = divisionOf(part);
      int64_t shift = shiftToPositive(dividend, space_->sizes, divisor);
      lanes = divideFloor(b, laneIndices(dividend), divisor, shift, part.getKind() == AffineExprKind::Mod);
    }
    if (lanes.getType() != withLanes(type, lanes_)) {
      Type wanted = withLanes(type, lanes_);
      lanes = type.isInteger(32) ? Value(arith::TruncIOp::create(b.b, b.loc, wanted, lanes))
                                 : Value(arith::ExtSIOp::create(b.b, b.loc, wanted, lanes));
    }
    lanes = b.mul(lanes, factor);
    sum = sum ? b.add(sum, lanes) : lanes;
  }
  // `uniform` is evaluated at the first lane.
  Value base = b.splatIndex(index(uniform), type, lanes_);
  sum = sum ? b.add(base, sum) : base;
  if (int64_t stride = form.coefficients[laneDim_]) sum = b.add(sum, b.iota(type, lanes_, stride));
  return sum;
}

Value Point::guardMask(const Access &access, bool lanes) {
  Builder &b = emission_->b;
  Value mask;
  for (const Guard &guard : access.guards) {
    Value inside;
    // An unsigned comparison also refuses what is negative.
    if (variesOverLanes(guard.index)) {
      Value indices = laneIndices(guard.index);
      inside = b.compare(arith::CmpIPredicate::ult, indices, b.integer(indices.getType(), guard.size));
    } else {
      inside = b.compare(arith::CmpIPredicate::ult, index(guard.index), b.index(guard.size));
      if (lanes) inside = b.broadcast(inside, lanes_);
    }
    mask = b.andBits(mask, inside);
  }
  return mask;
}

Value Point::fullMask() { return emission_->b.integer(VectorType::get({lanes_}, emission_->b.b.getI1Type()), 1); }

static Value bitcast(Builder &b, Value value, Type element) {
  return b.b.createOrFold<arith::BitcastOp>(b.loc, withLanes(element, lanesOf(value.getType())), value);
}

Value Point::fromMemory(Value value, Type element) {
  if (kernel::isHalf(element)) return bitcast(emission_->b, value, element);
  if (!element.isInteger(1)) return value;
  return emission_->b.compare(arith::CmpIPredicate::ne, value, emission_->b.integer(value.getType(), 0));
}

Value Point::toMemory(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  if (kernel::isHalf(element)) return bitcast(emission_->b, value, emission_->b.b.getI16Type());
  if (!element.isInteger(1)) return value;
  Type byte = withLanes(emission_->b.b.getI8Type(), lanesOf(value.getType()));
  return arith::ExtUIOp::create(emission_->b.b, emission_->b.loc, byte, value);
}

static Type memoryElement(const Access &access) { return cast<MemRefType>(access.memory.getType()).getElementType(); }

Value Point::loadScalar(const Access &access) {
  Builder &b = emission_->b;
  Value address = index(access.address), inside = guardMask(access, /*lanes=*/false);
  // Element 0 stands in for what is outside; its value is not used.
  if (inside) address = b.select(inside, address, b.index(0));
  Value value = memref::LoadOp::create(b.b, b.loc, access.memory, address);
  value = fromMemory(value, access.element);
  return inside ? b.select(inside, value, b.constant(access.pad)) : value;
}

static Value padLanes(Builder &b, const Access &access, int64_t lanes) {
  Type type = VectorType::get({lanes}, memoryElement(access));
  if (!access.pad) return b.number(type, 0);
  auto real = dyn_cast<FloatAttr>(access.pad);
  if (real && kernel::isHalf(access.element)) return b.integer(type, real.getValue().bitcastToAPInt().getSExtValue());
  if (real) return b.constant(DenseElementsAttr::get(cast<ShapedType>(type), real.getValue()));
  // The sign of a boolean true would be -1.
  return b.integer(type, access.element.isInteger(1) ? !cast<IntegerAttr>(access.pad).getValue().isZero()
                                                     : cast<IntegerAttr>(access.pad).getValue().getSExtValue());
}

Value Point::loadLanes(const Access &access) {
  Builder &b = emission_->b;
  LinearForm form = linearForm(access.address, space_->dimCount());
  Type type = VectorType::get({lanes_}, memoryElement(access));
  Value mask = b.andBits(guardMask(access, /*lanes=*/true), active_);
  Value loaded;
  if (form.isLinearIn(laneDim_) && form.coefficients[laneDim_] == 1) {
    Value address = index(access.address);
    loaded = mask ? Value(vector::MaskedLoadOp::create(b.b, b.loc, cast<VectorType>(type), access.memory, address, mask,
                                                       padLanes(b, access, lanes_)))
                  : Value(vector::LoadOp::create(b.b, b.loc, cast<VectorType>(type), access.memory, address));
  } else {
    auto bound = access.guards.empty() ? std::optional(access.elements) : std::nullopt;
    loaded = vector::GatherOp::create(b.b, b.loc, cast<VectorType>(type), access.memory, ValueRange{b.index(0)},
                                      laneIndices(access.address, bound), mask ? mask : fullMask(),
                                      padLanes(b, access, lanes_));
  }
  return fromMemory(loaded, access.element);
}

Value Point::load(const Access &access) {
  // Nothing of an empty tensor can be read; without a pad the space is empty as well.
  if (access.elements == 0)
    return access.pad ? emission_->b.constant(access.pad) : emission_->b.number(access.element, 0);
  return variesOverLanes(access) ? loadLanes(access) : loadScalar(access);
}

// Whether a mask is a constant that lets the first lane pass alone.
static bool isFirstLane(Value mask) {
  auto constant = mask ? mask.getDefiningOp<arith::ConstantOp>() : nullptr;
  auto lanes = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
  if (!lanes) return false;
  auto passes = lanes.getValues<bool>();
  return *passes.begin() && llvm::count(passes, true) == 1;
}

void Point::store(const Access &access, Value value) {
  Builder &b = emission_->b;
  if (!variesOverLanes(access)) {
    memref::StoreOp::create(b.b, b.loc, toMemory(value), access.memory, index(access.address));
    return;
  }
  value = toMemory(b.broadcast(value, lanes_));
  LinearForm form = linearForm(access.address, space_->dimCount());
  if (isFirstLane(active_)) {
    // LLVM 22 makes a store of the wide element of a truncation that is stored under such a mask.
    Value first = vector::ExtractOp::create(b.b, b.loc, value, 0);
    memref::StoreOp::create(b.b, b.loc, first, access.memory, index(access.address));
  } else if (!form.isLinearIn(laneDim_) || form.coefficients[laneDim_] != 1) {
    vector::ScatterOp::create(b.b, b.loc, Type(), access.memory, ValueRange{b.index(0)}, laneIndices(access.address),
                              active_ ? active_ : fullMask(), value);
  } else if (active_) {
    vector::MaskedStoreOp::create(b.b, b.loc, access.memory, index(access.address), active_, value);
  } else {
    vector::StoreOp::create(b.b, b.loc, value, access.memory, index(access.address));
  }
}

} // namespace tensorjit::cpu
