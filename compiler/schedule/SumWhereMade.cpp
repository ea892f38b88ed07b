// A sum over the outer dims of a tensor that a pointwise nest makes, and that others read too, is taken while it is
// made. The chunks of the partial sums become a dim of their own:
//
//   %y = nest "relu_grad" [parallel 128, parallel 14, parallel 14, parallel 64] ...
//   %p = nest "sum_parts" [parallel 16, parallel 64, reduction 8, reduction 14, reduction 14]
//          ins(%y at (q, c, n, h, w) -> (q * 8 + n, h, w, c)) { yield reduce add y }
// ->
//   %z, %p = nest "relu_grad_sum_parts" [parallel 16, parallel 64, reduction 8, reduction 14, reduction 14] ...
//          outs((q, n, h, w, c) : tensor<16x8x14x14x64>, (q, c)) { yield y, reduce add y }
//   %y = kernel.view %z : tensor<16x8x14x14x64> -> tensor<128x14x14x64>
#include "fuse/Cost.h"
#include "fuse/Dependence.h"
#include "nest/IndexExpr.h"
#include "nest/NestParts.h"
#include "schedule/ScheduleSteps.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "llvm/ADT/SmallBitVector.h"

namespace tensorjit::schedule_steps {

using kernel::NestOp;

namespace {

/// The dims of the producer as expressions of the dims of the sum: a dim, or `chunk * size + dim`.
using ProducerDims = SmallVector<AffineExpr>;

} // namespace

// `chunk * size + dim` over its two dims, outermost first.
static std::optional<std::pair<unsigned, unsigned>> chunkAndDim(AffineExpr expr, ArrayRef<int64_t> sizes) {
  for (unsigned chunk = 0; chunk < sizes.size(); ++chunk)
    for (unsigned dim = 0; dim < sizes.size(); ++dim) {
      MLIRContext *context = expr.getContext();
      if (expr == getAffineDimExpr(chunk, context) * sizes[dim] + getAffineDimExpr(dim, context)) return {{chunk, dim}};
    }
  return std::nullopt;
}

// None unless the sum visits each point of the producer once, chunk by chunk, and reads there what is made there.
static std::optional<ProducerDims> producerDims(NestOp producer, NestOp sum) {
  if (producer.getNumPoints() != sum.getNumPoints()) return std::nullopt;
  ProducerDims dims(producer.getNumDims());
  for (unsigned i = 0; i < sum.getNumInputs(); ++i) {
    auto made = dyn_cast<OpResult>(sum.getInputs()[i]);
    if (!made || made.getOwner() != producer) continue;
    if (sum.getPad(i)) return std::nullopt;
    for (auto [written, read] :
         llvm::zip_equal(producer.getOutputMap(made.getResultNumber()).getResults(), sum.getInputMap(i).getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(written);
      if (!dim || (dims[dim.getPosition()] && dims[dim.getPosition()] != read)) return std::nullopt;
      dims[dim.getPosition()] = read;
    }
  }
  llvm::SmallBitVector used(sum.getNumDims());
  bool chunked = false;
  for (auto [dim, expr] : llvm::enumerate(dims)) {
    if (!expr) return std::nullopt;
    auto take = [&](unsigned of) { return used.test(of) ? false : (used.set(of), true); };
    if (auto plain = dyn_cast<AffineDimExpr>(expr)) {
      if (sum.getSize(plain.getPosition()) != producer.getSize(dim) || !take(plain.getPosition())) return std::nullopt;
      continue;
    }
    auto parts = chunkAndDim(expr, sum.getSizes());
    if (!parts || sum.getSize(parts->first) * sum.getSize(parts->second) != producer.getSize(dim)) return std::nullopt;
    if (!take(parts->first) || !take(parts->second) || sum.isReduction(parts->first)) return std::nullopt;
    chunked = true;
  }
  // Without chunks the sum would take the producer's parallel dims away.
  return chunked ? std::optional(dims) : std::nullopt;
}

// The map that writes the producer's result, a chunk and the place in it as two indices.
static AffineMap outputMap(AffineMap map, const ProducerDims &dims, ArrayRef<int64_t> sizes) {
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : map.getResults()) {
    AffineExpr read = dims[cast<AffineDimExpr>(expr).getPosition()];
    if (auto parts = chunkAndDim(read, sizes)) {
      results.push_back(getAffineDimExpr(parts->first, map.getContext()));
      results.push_back(getAffineDimExpr(parts->second, map.getContext()));
    } else {
      results.push_back(read);
    }
  }
  return AffineMap::get(sizes.size(), 0, results, map.getContext());
}

static void merge(NestOp producer, NestOp sum, const ProducerDims &dims) {
  nest::NestParts parts(sum), made(producer);
  parts.loc = nest::fuseLocations(made.loc, parts.loc);
  parts.name = made.name + "_" + parts.name;
  parts.inputs.clear();
  parts.outputs.clear();
  for (const nest::Input &input : made.inputs) {
    AffineMap map = input.map.replaceDimsAndSymbols(dims, {}, parts.sizes.size(), input.map.getNumSymbols());
    parts.inputs.push_back({input.tensor, nest::simplify(map, parts.sizes), input.pad});
  }
  SmallVector<unsigned> others; // inputs of the sum that it does not get from the producer
  for (auto [i, input] : llvm::enumerate(nest::NestParts(sum).inputs))
    if (input.tensor.getDefiningOp() != producer) {
      others.push_back(i);
      parts.inputs.push_back(input);
    }
  for (const nest::Output &output : made.outputs)
    parts.outputs.push_back({outputMap(output.map, dims, parts.sizes), output.elementType});
  for (const nest::Output &output : nest::NestParts(sum).outputs) parts.outputs.push_back(output);

  OpBuilder builder(sum);
  NestOp merged = parts.create(builder, [&](OpBuilder &b, ValueRange inputs) {
    auto index = [&](unsigned dim) { return nest::materialize(b, producer.getLoc(), dims[dim], parts.sizes); };
    SmallVector<Value> results = nest::copyBody(b, producer, inputs.take_front(producer.getNumInputs()), index);
    SmallVector<Value> scalars(sum.getNumInputs());
    for (auto [i, other] : llvm::enumerate(others)) scalars[other] = inputs[producer.getNumInputs() + i];
    for (unsigned i = 0; i < sum.getNumInputs(); ++i)
      if (!scalars[i]) scalars[i] = results[cast<OpResult>(sum.getInputs()[i]).getResultNumber()];
    llvm::append_range(results, nest::copyBody(b, sum, scalars));
    return results;
  });
  sum.replaceAllUsesWith(merged.getResults().drop_front(producer.getNumResults()));
  sum.erase();
  builder.setInsertionPointAfter(merged);
  for (auto [old, value] : llvm::zip(producer.getResults(), merged.getResults()))
    if (!old.use_empty())
      old.replaceAllUsesWith(kernel::ViewOp::create(builder, merged.getLoc(), old.getType(), value));
  producer.erase();
  sortTopologically(merged->getBlock());
  nest::tidy(builder, merged);
}

static bool mergeWithProducer(NestOp sum) {
  for (Value input : sum.getInputs()) {
    auto producer = input.getDefiningOp<NestOp>();
    if (!producer || producer.hasReductionDims() || fuse_nests::hasChecks(producer)) continue;
    if (fuse_nests::updatesState(producer) || fuse_nests::dependsThroughOthers(sum, producer)) continue;
    auto dims = producerDims(producer, sum);
    if (!dims) continue;
    merge(producer, sum, *dims);
    return true;
  }
  return false;
}

void sumWhereMade(func::FuncOp function) {
  for (auto nest : llvm::to_vector(function.getBody().front().getOps<NestOp>()))
    if (nest.hasReductionDims() && mergeWithProducer(nest)) return sumWhereMade(function);
}

} // namespace tensorjit::schedule_steps
