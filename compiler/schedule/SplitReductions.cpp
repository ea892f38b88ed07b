// Partial sums over fixed chunks of the outermost reduction dim:
//
//   %s = nest "sum" [reduction 65536] ins(%x at (i)) { yield reduce add x }
// ->
//   %p = nest "sum_parts" [parallel 16, reduction 4096] ins(%x at (c, i) -> (c * 4096 + i)) { yield reduce add x }
//   %s = nest "sum" [reduction 16] ins(%p at (c)) { yield reduce add p }
#include "fuse/Cost.h"
#include "nest/IndexExpr.h"
#include "nest/NestParts.h"
#include "schedule/ScheduleSteps.h"

#include "mlir/IR/IRMapping.h"

namespace tensorjit::schedule_steps {

using kernel::NestOp;
using kernel::ReduceOp;

constexpr int64_t longReduction = 2048; ///< points of a reduction that are worth a split
constexpr int64_t longestSum = 1 << 17; ///< points of one partial sum, which bounds its rounding error
constexpr int64_t usualChunks = 16;
constexpr int64_t shortestChunk = 256;       ///< of a contraction that is split to fill a device
constexpr int64_t mostPartResults = 1 << 18; ///< of a sum that is split for the threads alone: 16 MiB of partial ones

namespace {

struct Split {
  unsigned dim;
  int64_t chunks, chunkSize;
};

} // namespace

static int64_t pointsOf(NestOp nest, ArrayRef<unsigned> dims) {
  int64_t points = 1;
  for (unsigned dim : dims) points *= nest.getSize(dim);
  return points;
}

// Reductions of values that depend on no other reduction, and results that are uniform.
static bool isOnePhase(NestOp nest) {
  llvm::DenseSet<Value> afterReduction;
  for (Operation &op : nest.getBlock()->without_terminator()) {
    if (isa<kernel::ArgReduceOp, kernel::ScanOp, kernel::CheckIndexOp>(op)) return false;
    bool depends = llvm::any_of(op.getOperands(), [&](Value value) { return afterReduction.contains(value); });
    if (isa<ReduceOp>(op) && depends) return false;
    if (isa<ReduceOp>(op) || depends) afterReduction.insert(op.getResult(0));
  }
  return true;
}

static bool hasUniformResults(NestOp nest) {
  for (unsigned i = 0; i < nest.getNumOutputs(); ++i)
    for (unsigned dim : nest.getReductionDims())
      if (nest.getOutputMap(i).isFunctionOfDim(dim)) return false;
  return true;
}

// A weight gradient of a convolution: its padded operand is copied image by image, and the images are summed over, so
// that threads have nothing to share but chunks of images.
static bool sumsOverPaddedSlices(NestOp nest) {
  if (!fuse_nests::isContraction(nest)) return false;
  for (unsigned i = 0; i < nest.getNumInputs(); ++i)
    if (nest.getPad(i) && nest.getInputMap(i).getResult(0).isFunctionOfDim(nest.getReductionDims().front()))
      return true;
  return false;
}

// Into how many parts a contraction is split so that its blocks, of at least 32 by 32 results, fill a device. 1: none.
static int64_t chunksToFill(NestOp nest, int64_t results, int64_t reducedPoints, int64_t multiprocessors) {
  if (!multiprocessors || !fuse_nests::isContraction(nest)) return 1;
  int64_t blocks = std::max<int64_t>(1, results / (32 * 32));
  return std::min({usualChunks, multiprocessors / blocks, reducedPoints / shortestChunk});
}

static std::optional<Split> chooseSplit(NestOp nest, int64_t multiprocessors) {
  if (!isOnePhase(nest) || !hasUniformResults(nest)) return std::nullopt;
  SmallVector<unsigned> reduced = nest.getReductionDims();
  int64_t reducedPoints = pointsOf(nest, reduced), results = pointsOf(nest, nest.getParallelDims());
  bool few = reducedPoints >= longReduction &&
             (reducedPoints > results || (results <= mostPartResults && sumsOverPaddedSlices(nest)));
  int64_t filling = chunksToFill(nest, results, reducedPoints, multiprocessors);
  bool isWhole = !few && reducedPoints <= longestSum;
  if (isWhole && filling < 2) return std::nullopt;
  int64_t chunks = isWhole ? filling : std::max(usualChunks, reducedPoints / longestSum);
  for (unsigned dim : reduced) {
    int64_t size = nest.getSize(dim);
    if (size < 2) continue;
    // Chunks of equal size where a number of them near the usual one divides the dim.
    int64_t count = std::min(chunks, size);
    for (int64_t candidate = count; candidate >= std::max<int64_t>(2, count / 2); --candidate)
      if (size % candidate == 0) return Split{dim, candidate, size / candidate};
    int64_t chunkSize = (size + count - 1) / count;
    return Split{dim, (size + chunkSize - 1) / chunkSize, chunkSize};
  }
  return std::nullopt;
}

static bool isZero(TypedAttr pad) {
  auto value = dyn_cast_or_null<FloatAttr>(pad);
  return value && value.getValue().isZero();
}

// Points of the last chunk that lie beyond the end count as nothing.
static Value neutral(OpBuilder &b, ReduceOp reduce) {
  Type type = reduce.getType();
  auto integer = dyn_cast<IntegerType>(type);
  unsigned width = integer ? integer.getWidth() : 0;
  auto real = [&](bool negative) {
    return b.getFloatAttr(type, APFloat::getInf(cast<FloatType>(type).getFloatSemantics(), negative));
  };
  TypedAttr value;
  switch (reduce.getKind()) {
  case kernel::ReduceKind::Add:
  case kernel::ReduceKind::Or: value = cast<TypedAttr>(b.getZeroAttr(type)); break;
  case kernel::ReduceKind::Mul: value = cast<TypedAttr>(b.getOneAttr(type)); break;
  case kernel::ReduceKind::And: value = b.getIntegerAttr(type, APInt::getAllOnes(width)); break;
  case kernel::ReduceKind::Max:
    value = integer ? TypedAttr(b.getIntegerAttr(type, APInt::getSignedMinValue(width))) : real(true);
    break;
  case kernel::ReduceKind::Min:
    value = integer ? TypedAttr(b.getIntegerAttr(type, APInt::getSignedMaxValue(width))) : real(false);
    break;
  }
  return arith::ConstantOp::create(b, reduce.getLoc(), value);
}

namespace {

class Splitter {
public:
  Splitter(NestOp nest, Split split) : nest_(nest), split_(split), builder_(nest), old_(nest) {
    llvm::append_range(reduces_, nest.getBlock()->getOps<ReduceOp>());
  }

  void run() {
    NestOp parts = createParts();
    NestOp combined = createCombination(parts);
    nest_.replaceAllUsesWith(combined.getResults());
    nest_.erase();
  }

private:
  // Dims: the chunk, then the old ones with the split dim running inside a chunk.
  NestOp createParts() {
    MLIRContext *context = nest_.getContext();
    nest::NestParts parts = old_;
    parts.name += "_parts";
    parts.sizes[split_.dim] = split_.chunkSize;
    parts.sizes.insert(parts.sizes.begin(), split_.chunks);
    parts.reduction.insert(parts.reduction.begin(), false);
    for (unsigned dim = 0; dim < nest_.getNumDims(); ++dim) oldDims_.push_back(getAffineDimExpr(dim + 1, context));
    position_ = getAffineDimExpr(0, context) * split_.chunkSize + oldDims_[split_.dim];
    oldDims_[split_.dim] = position_;
    for (nest::Input &input : parts.inputs) {
      bool reads = input.map.isFunctionOfDim(split_.dim);
      input.map = input.map.replaceDimsAndSymbols(oldDims_, {}, parts.sizes.size(), input.map.getNumSymbols());
      if (reads && !isExact() && !input.pad)
        input.pad = cast<TypedAttr>(
            builder_.getZeroAttr(kernel::scalarType(cast<RankedTensorType>(input.tensor.getType()).getElementType())));
    }
    SmallVector<AffineExpr> index{getAffineDimExpr(0, context)};
    for (unsigned dim : nest_.getParallelDims()) index.push_back(oldDims_[dim]);
    AffineMap map = AffineMap::get(parts.sizes.size(), 0, index, context);
    parts.outputs.clear();
    for (ReduceOp reduce : reduces_) parts.outputs.push_back({map, reduce.getType()});
    bool cut = !isExact() && !sumsZeroProducts(parts);
    return parts.create(builder_,
                        [&](OpBuilder &b, ValueRange inputs) { return partialResults(b, inputs, parts.sizes, cut); });
  }

  bool isExact() { return split_.chunks * split_.chunkSize == nest_.getSize(split_.dim); }

  // Behind the end both factors are the pad 0, and their products change no sum: the nest stays a contraction.
  bool sumsZeroProducts(const nest::NestParts &parts) {
    if (!fuse_nests::isContraction(nest_)) return false;
    return llvm::all_of(reduces_[0].getValue().getDefiningOp()->getOperands(), [&](Value factor) {
      unsigned input = cast<BlockArgument>(factor).getArgNumber();
      return nest_.getInputMap(input).isFunctionOfDim(split_.dim) && isZero(parts.inputs[input].pad);
    });
  }

  // `cut`: points behind the end must be left out by hand.
  SmallVector<Value> partialResults(OpBuilder &b, ValueRange inputs, ArrayRef<int64_t> sizes, bool cut) {
    IRMapping mapping;
    mapping.map(nest_.getBlock()->getArguments(), inputs);
    SmallVector<Value> results;
    for (Operation &op : nest_.getBlock()->without_terminator()) {
      if (auto index = dyn_cast<kernel::IndexOp>(op)) {
        mapping.map(index.getResult(), nest::materialize(b, op.getLoc(), oldDims_[index.getDim()], sizes));
        continue;
      }
      auto reduce = dyn_cast<ReduceOp>(op);
      if (reduce && cut) {
        Value at = nest::materialize(b, op.getLoc(), position_, sizes);
        Value end = arith::ConstantOp::create(b, op.getLoc(), b.getI64IntegerAttr(nest_.getSize(split_.dim)));
        Value inside = arith::CmpIOp::create(b, op.getLoc(), arith::CmpIPredicate::slt, at, end);
        Value kept =
            arith::SelectOp::create(b, op.getLoc(), inside, mapping.lookup(reduce.getValue()), neutral(b, reduce));
        results.push_back(ReduceOp::create(b, op.getLoc(), reduce.getType(), reduce.getKind(), kept));
        mapping.map(reduce.getResult(), results.back());
        continue;
      }
      Operation *copy = b.clone(op, mapping);
      if (reduce) results.push_back(copy->getResult(0));
    }
    return results;
  }

  // Dims: the old parallel ones, then the chunk. Reductions now combine the partial ones; the rest of the body follows.
  NestOp createCombination(NestOp parts) {
    MLIRContext *context = nest_.getContext();
    SmallVector<unsigned> parallel = nest_.getParallelDims();
    nest::NestParts combined = old_;
    combined.sizes.clear();
    SmallVector<AffineExpr> dims(nest_.getNumDims(), getAffineConstantExpr(0, context)), index;
    AffineExpr chunk = getAffineDimExpr(parallel.size(), context);
    index.push_back(chunk);
    for (auto [place, dim] : llvm::enumerate(parallel)) {
      combined.sizes.push_back(nest_.getSize(dim));
      dims[dim] = getAffineDimExpr(place, context);
      index.push_back(dims[dim]);
    }
    combined.sizes.push_back(split_.chunks);
    combined.reduction.assign(combined.sizes.size(), false);
    combined.reduction.back() = true;
    // Inputs that reductions read are read at their first point, and dropped with what they feed.
    for (nest::Input &input : combined.inputs)
      input.map = input.map.replaceDimsAndSymbols(dims, {}, combined.sizes.size(), input.map.getNumSymbols());
    for (nest::Output &output : combined.outputs)
      output.map = output.map.replaceDimsAndSymbols(dims, {}, combined.sizes.size(), output.map.getNumSymbols());
    AffineMap partMap = AffineMap::get(combined.sizes.size(), 0, index, context);
    for (Value part : parts.getResults()) combined.inputs.push_back({part, partMap, {}});
    builder_.setInsertionPoint(nest_);
    return combined.create(builder_, [&](OpBuilder &b, ValueRange inputs) { return combinedResults(b, inputs); });
  }

  SmallVector<Value> combinedResults(OpBuilder &b, ValueRange inputs) {
    IRMapping mapping;
    ValueRange parts = inputs.drop_front(nest_.getNumInputs());
    mapping.map(nest_.getBlock()->getArguments(), inputs.take_front(nest_.getNumInputs()));
    llvm::DenseSet<Operation *> dropped = feedsReductionOnly();
    for (Operation &op : nest_.getBlock()->without_terminator()) {
      if (auto index = dyn_cast<kernel::IndexOp>(op)) {
        SmallVector<unsigned> parallel = nest_.getParallelDims();
        auto at = llvm::find(parallel, index.getDim());
        if (at != parallel.end())
          mapping.map(index.getResult(),
                      kernel::IndexOp::create(b, op.getLoc(), b.getI64Type(), at - parallel.begin()).getResult());
        continue;
      }
      if (auto reduce = dyn_cast<ReduceOp>(op)) {
        unsigned which = llvm::find(reduces_, reduce) - reduces_.begin();
        Value combined = ReduceOp::create(b, op.getLoc(), reduce.getType(), reduce.getKind(), parts[which]);
        mapping.map(reduce.getResult(), combined);
        continue;
      }
      if (!dropped.contains(&op)) b.clone(op, mapping);
    }
    SmallVector<Value> results;
    for (Value value : nest_.getYield().getOperands()) results.push_back(mapping.lookup(value));
    return results;
  }

  // Ops that only reductions need.
  llvm::DenseSet<Operation *> feedsReductionOnly() {
    llvm::DenseSet<Operation *> dropped;
    for (Operation &op : llvm::reverse(nest_.getBlock()->without_terminator())) {
      if (isa<ReduceOp>(op)) continue;
      bool onlyReductions =
          llvm::all_of(op.getUsers(), [&](Operation *user) { return isa<ReduceOp>(user) || dropped.contains(user); });
      if (onlyReductions) dropped.insert(&op);
    }
    return dropped;
  }

  NestOp nest_;
  Split split_;
  OpBuilder builder_;
  nest::NestParts old_;
  SmallVector<ReduceOp> reduces_;
  SmallVector<AffineExpr> oldDims_;
  AffineExpr position_;
};

} // namespace

bool splitReductions(func::FuncOp function, int64_t multiprocessors) {
  bool changed = false;
  for (auto nest : llvm::make_early_inc_range(function.getBody().front().getOps<NestOp>()))
    if (auto split = chooseSplit(nest, multiprocessors)) {
      Splitter(nest, *split).run();
      changed = true;
    }
  // The combinations still read what only the parts need.
  if (changed)
    for (auto nest : llvm::make_early_inc_range(function.getBody().front().getOps<NestOp>())) {
      OpBuilder builder(nest);
      nest::tidy(builder, nest);
    }
  return changed;
}

} // namespace tensorjit::schedule_steps
