#include "cpu/emit/PaddedCopy.h"

#include "kernel/AffineRange.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tensorjit::cpu {

static constexpr int64_t maxElements = int64_t(1) << 21;

static bool isGuarded(const Access &access, AffineExpr index) {
  return llvm::any_of(access.guards, [&](const Guard &guard) { return guard.index == index; });
}

static bool shareDims(AffineExpr a, AffineExpr b, unsigned dimCount) {
  for (unsigned dim = 0; dim < dimCount; ++dim)
    if (a.isFunctionOfDim(dim) && b.isFunctionOfDim(dim)) return true;
  return false;
}

static bool usesReduction(const Space &space, AffineExpr index) {
  return llvm::any_of(space.dims(/*reductionDims=*/true), [&](unsigned dim) { return index.isFunctionOfDim(dim); });
}

std::optional<PaddedCopy> PaddedCopy::plan(Space &space, unsigned input) {
  PaddedCopy copy;
  copy.input_ = input;
  copy.source_ = space.inputs[input];
  Access &access = space.inputs[input];
  MLIRContext *context = kernel::NestOp(space.nest).getContext();
  unsigned first = 0;
  // A reduction dim inside the slice would have to sum through memory: only the outermost may.
  while (first < access.indices.size() && !isGuarded(access, access.indices[first]) &&
         (first == 0 || !usesReduction(space, access.indices[first])))
    ++first;
  AffineExpr sliceAddress = getAffineConstantExpr(0, context);
  AffineExpr address = getAffineConstantExpr(0, context);
  for (auto [position, index] : llvm::enumerate(access.indices)) {
    int64_t size = access.shape[position];
    if (position < first) {
      sliceAddress = sliceAddress * size + index;
      continue;
    }
    for (AffineExpr slice : ArrayRef(access.indices).take_front(first))
      if (shareDims(slice, index, space.dimCount())) return std::nullopt;
    auto range = kernel::rangeOf(index, space.sizes);
    if (!range) return std::nullopt;
    bool guarded = isGuarded(access, index);
    Dim dim{size, guarded ? range->lo : 0, guarded ? range->hi - range->lo + 1 : size};
    copy.dims_.push_back(dim);
    copy.elements_ *= dim.extent;
    sliceAddress = sliceAddress * size;
    address = address * dim.extent + (index - dim.lo);
  }
  if (copy.elements_ > maxElements) return std::nullopt;
  copy.place_ = space.pinned.size();
  space.pinned.push_back(sliceAddress);
  access.address = address;
  access.elements = copy.elements_;
  access.guards.clear();
  access.pad = {};
  return copy;
}

bool PaddedCopy::padsWithZero() const {
  auto zero = dyn_cast<FloatAttr>(source_.pad);
  return zero && zero.getValue().isZero();
}

SmallVector<ZeroPadding> PaddedCopy::zeros() const {
  SmallVector<ZeroPadding> padding;
  if (!padsWithZero()) return padding;
  int64_t stride = 1;
  for (const Dim &dim : llvm::reverse(dims_)) {
    ZeroPadding here{stride, dim.extent, dim.from() - dim.lo, dim.to() - dim.lo};
    if (here.from > 0 || here.to < dim.extent) padding.push_back(here);
    stride *= dim.extent;
  }
  return padding;
}

SmallVector<PaddedDim> PaddedCopy::paddedDims(const Space &space) const {
  SmallVector<PaddedDim> padded;
  if (!padsWithZero()) return padded;
  ArrayRef<AffineExpr> indices = space.inputs[input_].indices;
  for (auto [dim, index] : llvm::zip_equal(dims_, indices.take_back(dims_.size()))) {
    // Dims that have been merged or split since then run over something else.
    auto range = kernel::rangeOf(index, space.sizes);
    LinearForm form = linearForm(index, space.dimCount());
    if (!range || range->lo != dim.lo || range->hi != dim.lo + dim.extent - 1 || !form.atoms.empty()) continue;
    if (dim.from() == dim.lo && dim.to() == dim.lo + dim.extent) continue;
    SmallVector<unsigned> reduced = space.dims(/*reductionDims=*/true);
    llvm::erase_if(reduced, [&](unsigned r) { return form.coefficients[r] == 0; });
    if (reduced.size() == 1 && form.coefficients[reduced[0]] == 1) padded.push_back({reduced[0], index, dim.size});
  }
  return padded;
}

void PaddedCopy::begin(Emission &emission, Space &space) {
  Builder &b = emission.b;
  int64_t lanes = emission.target.lanes(source_.element.getIntOrFloatBitWidth() / 8);
  // Rounded up, so that whole vectors fill it.
  int64_t elements = llvm::alignTo(elements_, lanes);
  memory_ = emission.allocateScratch(source_.element, elements);
  space.inputs[input_].memory = memory_;
  sliceAddress_ = space.pinned[place_];
  Value pad = b.broadcast(b.constant(source_.pad), lanes);
  b.loop(b.index(0), b.index(elements), lanes, [&](Value i) { vector::StoreOp::create(b.b, b.loc, pad, memory_, i); });
}

namespace {
// What the inner loops of a copy add to.
struct Position {
  Value from, to;
};
} // namespace

static void copyRun(Emission &emission, const Access &source, Value destination, Position at, int64_t length) {
  Builder &b = emission.b;
  int64_t lanes = emission.target.lanes(source.element.getIntOrFloatBitWidth() / 8), whole = length / lanes * lanes;
  auto type = VectorType::get({lanes}, source.element);
  b.loop(b.index(0), b.index(whole), lanes, [&](Value i) {
    Value value = vector::LoadOp::create(b.b, b.loc, type, source.memory, b.add(at.from, i));
    vector::StoreOp::create(b.b, b.loc, value, destination, b.add(at.to, i));
  });
  if (whole == length) return;
  Value mask = b.firstLanes(length - whole, lanes);
  Value value =
      vector::MaskedLoadOp::create(b.b, b.loc, type, source.memory, b.add(at.from, whole), mask, b.number(type, 0));
  vector::MaskedStoreOp::create(b.b, b.loc, destination, b.add(at.to, whole), mask, value);
}

void PaddedCopy::emit(Emission &emission, Point &point) const {
  Builder &b = emission.b;
  // The innermost dims that are copied whole, and the one around them, are one run of memory.
  size_t runStart = dims_.size() - 1;
  while (runStart > 0 && dims_[runStart].isWhole()) --runStart;
  SmallVector<int64_t> fromStride(dims_.size(), 1), toStride(dims_.size(), 1);
  for (size_t i = dims_.size() - 1; i-- > 0;) {
    fromStride[i] = fromStride[i + 1] * dims_[i + 1].size;
    toStride[i] = toStride[i + 1] * dims_[i + 1].extent;
  }
  Position start{point.index(sliceAddress_), b.index(0)};
  std::function<void(size_t, Position)> copyFrom = [&](size_t depth, Position at) {
    const Dim &dim = dims_[depth];
    if (depth == runStart) {
      at.from = b.add(at.from, dim.from() * fromStride[depth]);
      at.to = b.add(at.to, (dim.from() - dim.lo) * toStride[depth]);
      copyRun(emission, source_, memory_, at, (dim.to() - dim.from()) * fromStride[depth]);
      return;
    }
    b.loop(b.index(dim.from()), b.index(dim.to()), 1, [&](Value i) {
      Position here{b.add(at.from, b.mul(i, fromStride[depth])),
                    b.add(at.to, b.mul(b.sub(i, b.index(dim.lo)), toStride[depth]))};
      copyFrom(depth + 1, here);
    });
  };
  copyFrom(0, start);
}

} // namespace tensorjit::cpu
