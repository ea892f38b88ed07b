// Positions that only nests read again are stored in as many bits as they need:
//
//   %v, %at = nest "max_pool2d" [...] { ... yield %extreme, %at : f32, i64 } // of 28 x 28
//   %g = nest "max_pool2d_grad" [...] ins(..., %at at ...) { ^bb0(..., %i: i64): ... }
// ->
//   %v, %at = nest "max_pool2d" [...] { ... yield %extreme, trunci(%at) : f32, i16 }
//   %g = nest "max_pool2d_grad" [...] ins(..., %at at ...) { ^bb0(..., %s: i16): %i = extsi(%s) ... }
#include "kernel/AffineRange.h"
#include "layout/LayoutSteps.h"
#include "nest/NestParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

namespace tensorjit::layout {

using kernel::AffineRange, kernel::NestOp, kernel::ViewOp;

static std::optional<AffineRange> productOf(AffineRange a, AffineRange b) {
  AffineRange range{INT64_MAX, INT64_MIN};
  for (int64_t x : {a.lo, a.hi})
    for (int64_t y : {b.lo, b.hi}) {
      int64_t product;
      if (llvm::MulOverflow(x, y, product)) return std::nullopt;
      range = {std::min(range.lo, product), std::max(range.hi, product)};
    }
  return range;
}

static std::optional<AffineRange> sumOf(AffineRange a, AffineRange b) {
  AffineRange range;
  if (llvm::AddOverflow(a.lo, b.lo, range.lo) || llvm::AddOverflow(a.hi, b.hi, range.hi)) return std::nullopt;
  return range;
}

static std::optional<AffineRange> differenceOf(AffineRange a, AffineRange b) {
  AffineRange range;
  if (llvm::SubOverflow(a.lo, b.hi, range.lo) || llvm::SubOverflow(a.hi, b.lo, range.hi)) return std::nullopt;
  return range;
}

// Bounds of what is made of positions in a nest, and none for anything else: of each value of its body.
static DenseMap<Value, AffineRange> rangesOf(NestOp nest) {
  DenseMap<Value, AffineRange> ranges;
  auto find = [&](Value value) -> std::optional<AffineRange> {
    auto known = ranges.find(value);
    return known == ranges.end() ? std::nullopt : std::optional(known->second);
  };
  auto compute = [&](Operation &op) -> std::optional<AffineRange> {
    if (IntegerAttr constant; matchPattern(&op, m_Constant(&constant)))
      return AffineRange{constant.getInt(), constant.getInt()};
    if (auto index = dyn_cast<kernel::IndexOp>(op)) return AffineRange{0, nest.getSize(index.getDim()) - 1};
    if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op)) return std::nullopt;
    auto left = find(op.getOperand(0)), right = find(op.getOperand(1));
    if (!left || !right) return std::nullopt;
    if (isa<arith::MulIOp>(op)) return productOf(*left, *right);
    return isa<arith::AddIOp>(op) ? sumOf(*left, *right) : differenceOf(*left, *right);
  };
  for (Operation &op : nest.getBlock()->without_terminator()) {
    if (auto extreme = dyn_cast<kernel::ArgReduceOp>(op)) {
      if (auto range = find(extreme.getIndex())) ranges.insert({extreme.getAt(), *range});
    } else if (op.getResult(0).getType().isInteger(64)) {
      if (auto range = compute(op)) ranges.insert({op.getResult(0), *range});
    }
  }
  return ranges;
}

static bool fits(AffineRange range, unsigned bits) {
  return llvm::isIntN(bits, range.lo) && llvm::isIntN(bits, range.hi);
}

// Whether nests alone read the value, through views too, and what it is padded with fits as well.
static bool canBeNarrow(Value value, unsigned bits) {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    if (auto view = dyn_cast<ViewOp>(use.getOwner())) return canBeNarrow(view.getResult(), bits);
    auto nest = dyn_cast<NestOp>(use.getOwner());
    auto pad = nest ? dyn_cast_or_null<IntegerAttr>(nest.getPad(use.getOperandNumber())) : IntegerAttr();
    return nest && !nest.getInputMap(use.getOperandNumber()).getNumSymbols() &&
           (!pad || llvm::isIntN(bits, pad.getInt()));
  });
}

// The types that are wide enough for the results, where others than their own are.
static SmallVector<Type> narrowTypes(NestOp nest) {
  const DenseMap<Value, AffineRange> ranges = rangesOf(nest);
  SmallVector<Type> types(nest.getNumResults());
  for (OpResult result : nest->getResults()) {
    auto range = ranges.find(nest.getYield().getOperand(result.getResultNumber()));
    if (range == ranges.end() || result.use_empty()) continue;
    for (unsigned bits : {32, 16})
      if (fits(range->second, bits) && canBeNarrow(result, bits))
        types[result.getResultNumber()] = IntegerType::get(nest.getContext(), bits);
  }
  return types;
}

static void readNarrow(NestOp nest, Value wide, Value narrow) {
  OpBuilder builder(nest);
  nest::NestParts parts(nest);
  Type type = cast<RankedTensorType>(narrow.getType()).getElementType();
  for (nest::Input &input : parts.inputs) {
    if (input.tensor != wide) continue;
    input.tensor = narrow;
    if (input.pad) input.pad = IntegerAttr::get(type, cast<IntegerAttr>(input.pad).getInt());
  }
  NestOp fresh = parts.create(builder, [&](OpBuilder &b, ValueRange inputs) {
    SmallVector<Value> scalars;
    for (auto [scalar, argument] : llvm::zip_equal(inputs, nest.getBlock()->getArguments()))
      scalars.push_back(scalar.getType() == argument.getType()
                            ? scalar
                            : arith::ExtSIOp::create(b, nest.getLoc(), argument.getType(), scalar).getResult());
    return nest::copyBody(b, nest, scalars);
  });
  nest.replaceAllUsesWith(fresh.getResults());
  nest.erase();
}

static void replaceReads(Value wide, Value narrow) {
  while (!wide.use_empty()) {
    Operation *user = *wide.user_begin();
    auto view = dyn_cast<ViewOp>(user);
    if (!view) {
      readNarrow(cast<NestOp>(user), wide, narrow);
      continue;
    }
    OpBuilder builder(view);
    auto element = cast<RankedTensorType>(narrow.getType()).getElementType();
    auto type = cast<RankedTensorType>(view.getResult().getType()).clone(element);
    replaceReads(view.getResult(), ViewOp::create(builder, view.getLoc(), type, narrow));
    view.erase();
  }
}

static NestOp storeNarrow(NestOp nest, ArrayRef<Type> types) {
  OpBuilder builder(nest);
  nest::NestParts parts(nest);
  for (auto [output, type] : llvm::zip_equal(parts.outputs, types))
    if (type) output.elementType = type;
  NestOp fresh = parts.create(builder, [&](OpBuilder &b, ValueRange inputs) {
    SmallVector<Value> results = nest::copyBody(b, nest, inputs);
    for (auto [result, type] : llvm::zip_equal(results, types))
      if (type) result = arith::TruncIOp::create(b, nest.getLoc(), type, result);
    return results;
  });
  for (auto [old, result, type] : llvm::zip_equal(nest->getResults(), fresh->getResults(), types))
    if (type) replaceReads(old, result);
    else old.replaceAllUsesWith(result);
  nest.erase();
  return fresh;
}

void storeIndices(func::FuncOp function) {
  // Readers, which stand further down, are made anew.
  for (Operation *op = &function.getBody().front().front(); op; op = op->getNextNode()) {
    auto nest = dyn_cast<NestOp>(op);
    if (!nest) continue;
    SmallVector<Type> types = narrowTypes(nest);
    if (llvm::any_of(types, [](Type type) { return static_cast<bool>(type); })) op = storeNarrow(nest, types);
  }
}

} // namespace tensorjit::layout
