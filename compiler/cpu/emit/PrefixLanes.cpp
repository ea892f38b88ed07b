#include "cpu/emit/PrefixLanes.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tensorjit::cpu {

namespace {

/// Sums of f32 are made in f64, two vectors of half the lanes: sums that do not begin at the row's first element may
/// not overflow, and more digits cost less than more shifts.
class Prefix {
public:
  Prefix(Emission &emission, kernel::ScanOp scan, int64_t lanes)
      : b_(emission.b), scan_(scan), isWide_(scan.getType().isF32() && lanes > 1), lanes_(isWide_ ? lanes / 2 : lanes),
        element_(isWide_ ? Type(b_.b.getF64Type()) : scan.getType()) {}

  Value splat(double value) { return b_.number(VectorType::get({lanes_}, element_), value); }
  // -0 + x is x for every x.
  Value nothing() { return splat(isa<FloatType>(element_) ? -0.0 : 0.0); }

  Value add(Value x, Value y) {
    if (isa<FloatType>(element_)) return arith::AddFOp::create(b_.b, b_.loc, x, y);
    return arith::AddIOp::create(b_.b, b_.loc, x, y);
  }

  /// The parts of a vector in the order in which the scan meets them.
  Values split(Value values) {
    if (!isWide_) return {values};
    Values parts;
    for (int64_t first : {int64_t(0), lanes_}) {
      Value half = shuffle(values, values, [&](int64_t i) { return first + i; });
      parts.push_back(arith::ExtFOp::create(b_.b, b_.loc, VectorType::get({lanes_}, element_), half));
    }
    if (scan_.getReverse()) std::swap(parts[0], parts[1]);
    return parts;
  }
  Value join(Values parts) {
    if (!isWide_) return parts[0];
    if (scan_.getReverse()) std::swap(parts[0], parts[1]);
    for (Value &part : parts)
      part = arith::TruncFOp::create(b_.b, b_.loc, VectorType::get({lanes_}, b_.b.getF32Type()), part);
    SmallVector<int64_t> mask = llvm::to_vector(llvm::seq<int64_t>(0, 2 * lanes_));
    return vector::ShuffleOp::create(b_.b, b_.loc, parts[0], parts[1], mask);
  }

  /// Each lane moved on by `distance` along the scan; the first ones come from the end of `before`.
  Value shift(Value values, Value before, int64_t distance) {
    return shuffle(values, before, [&](int64_t i) {
      int64_t from = scan_.getReverse() ? i + distance : i - distance;
      return from >= 0 && from < lanes_ ? from : lanes_ + (from + lanes_) % lanes_;
    });
  }
  Value last(Value values) {
    return shuffle(values, values, [&](int64_t) { return scan_.getReverse() ? 0 : lanes_ - 1; });
  }

  Value withinVector(Value values) {
    for (int64_t distance = 1; distance < lanes_; distance *= 2)
      values = add(shift(values, nothing(), distance), values);
    return values;
  }

private:
  Value shuffle(Value x, Value y, llvm::function_ref<int64_t(int64_t)> from) {
    SmallVector<int64_t> mask;
    for (int64_t i = 0; i < lanes_; ++i) mask.push_back(from(i));
    return vector::ShuffleOp::create(b_.b, b_.loc, x, y, mask);
  }

  Builder &b_;
  kernel::ScanOp scan_;
  bool isWide_;
  int64_t lanes_; ///< of a part
  Type element_;
};

} // namespace

Value prefixStart(Emission &emission, kernel::ScanOp scan, int64_t lanes) {
  Prefix p(emission, scan, lanes);
  return scan.getExclusive() ? p.splat(0) : p.nothing();
}

// What a vector adds up to is known before the carry arrives, so that vectors wait for one addition of each other.
PrefixStep prefixLanes(Emission &emission, kernel::ScanOp scan, Value values, Value carry, Value active) {
  Builder &b = emission.b;
  Prefix p(emission, scan, cast<VectorType>(values.getType()).getNumElements());
  if (active) {
    Value nothing = b.number(values.getType(), isa<FloatType>(scan.getType()) ? -0.0 : 0.0);
    values = b.select(active, values, nothing);
  }
  Values parts = p.split(values), results;
  Value total;
  for (Value &part : parts) {
    part = p.withinVector(part);
    if (total) part = p.add(total, part);
    total = p.last(part);
  }
  Value before = carry;
  for (Value part : parts) {
    Value inclusive = p.add(carry, part);
    results.push_back(scan.getExclusive() ? p.shift(inclusive, before, 1) : inclusive);
    before = inclusive;
  }
  return {p.join(results), p.add(carry, total)};
}

} // namespace tensorjit::cpu
