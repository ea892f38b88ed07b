#include "fuse/Spaces.h"

#include "nest/IndexExpr.h"

#include "llvm/ADT/SmallBitVector.h"

namespace tensorjit::fuse_nests {

static constexpr int none = -1;

namespace {

class SpaceMatcher {
public:
  SpaceMatcher(NestOp first, NestOp second) : first_(first), second_(second), dims_(second.getNumDims(), none) {}

  /// Both maps index the same tensor, so equal results are equal dims.
  bool pair(AffineMap firstMap, AffineMap secondMap) {
    SmallVector<int> before = dims_;
    for (auto [a, b] : llvm::zip_equal(firstMap.getResults(), secondMap.getResults())) {
      auto firstDim = dyn_cast<AffineDimExpr>(a);
      auto secondDim = dyn_cast<AffineDimExpr>(b);
      if (!firstDim || !secondDim) continue;
      if (!assign(secondDim.getPosition(), firstDim.getPosition())) {
        dims_ = before;
        return false;
      }
    }
    return true;
  }

  bool complete() {
    for (unsigned dim = 0; dim < dims_.size(); ++dim)
      if (dims_[dim] == none && second_.getSize(dim) != 1) return false;
    return true;
  }

  bool reductionsAgree() {
    llvm::SmallBitVector covered(first_.getNumDims()), secondReduces(first_.getNumDims());
    for (unsigned dim = 0; dim < dims_.size(); ++dim) {
      if (dims_[dim] == none) continue;
      covered.set(dims_[dim]);
      if (second_.isReduction(dim)) secondReduces.set(dims_[dim]);
    }
    bool firstHas = false, secondHas = secondReduces.any(), someCovered = false, allCovered = true, equal = true;
    for (unsigned dim = 0; dim < first_.getNumDims(); ++dim) {
      if (first_.getSize(dim) == 1) continue;
      if (!first_.isReduction(dim)) {
        if (!covered.test(dim)) return false;
        equal &= !secondReduces.test(dim);
        continue;
      }
      firstHas = true;
      someCovered |= covered.test(dim);
      allCovered &= covered.test(dim);
      equal &= secondReduces.test(dim);
    }
    if (firstHas && secondHas) return equal;
    return !someCovered || allCovered;
  }

  DimMatch match() const {
    DimMatch exprs;
    for (int dim : dims_)
      exprs.push_back(dim == none ? getAffineConstantExpr(0, first_->getContext())
                                  : getAffineDimExpr(dim, first_->getContext()));
    return exprs;
  }

private:
  bool assign(unsigned second, int first) {
    if (second_.getSize(second) != first_.getSize(first)) return false;
    if (dims_[second] != none) return dims_[second] == first;
    if (second_.getSize(second) != 1 && llvm::is_contained(dims_, first)) return false;
    dims_[second] = first;
    return true;
  }

  NestOp first_, second_;
  SmallVector<int> dims_;
};

} // namespace

// Equal but for dims of one point.
static bool samePlace(NestOp nest, AffineMap a, AffineMap b) {
  return nest::simplify(a, nest.getSizes()) == nest::simplify(b, nest.getSizes());
}

static bool readsWhereWritten(NestOp first, NestOp second, const DimMatch &match) {
  for (unsigned i = 0; i < second.getNumInputs(); ++i) {
    auto result = dyn_cast<OpResult>(second.getInputs()[i]);
    if (!result || result.getOwner() != first.getOperation()) continue;
    if (second.getPad(i)) return false;
    AffineMap map = second.getInputMap(i).replaceDimsAndSymbols(match, {}, first.getNumDims(),
                                                                second.getInputMap(i).getNumSymbols());
    if (!samePlace(first, map, first.getOutputMap(result.getResultNumber()))) return false;
  }
  return true;
}

std::optional<DimMatch> matchSpaces(NestOp first, NestOp second, std::string &why) {
  SpaceMatcher matcher(first, second);
  for (unsigned i = 0; i < second.getNumInputs(); ++i) {
    auto result = dyn_cast<OpResult>(second.getInputs()[i]);
    if (result && result.getOwner() == first.getOperation() &&
        !matcher.pair(first.getOutputMap(result.getResultNumber()), second.getInputMap(i))) {
      why = "it is read in another order than it is written";
      return std::nullopt;
    }
  }
  for (unsigned i = 0; i < second.getNumInputs() && !matcher.complete(); ++i)
    for (unsigned j = 0; j < first.getNumInputs(); ++j)
      if (second.getInputs()[i] == first.getInputs()[j]) matcher.pair(first.getInputMap(j), second.getInputMap(i));
  if (!matcher.complete()) {
    why = "their iteration spaces differ";
    return std::nullopt;
  }
  if (!matcher.reductionsAgree()) {
    why = "they reduce over different dims";
    return std::nullopt;
  }
  DimMatch match = matcher.match();
  if (!readsWhereWritten(first, second, match)) {
    why = "a value is needed at another point than where it is made";
    return std::nullopt;
  }
  return match;
}

NestOp mergeNests(OpBuilder &builder, NestOp first, NestOp second, const DimMatch &match) {
  nest::NestParts parts(first), added(second);
  parts.loc = nest::fuseLocations(parts.loc, added.loc);
  for (unsigned dim = 0; dim < match.size(); ++dim)
    if (auto expr = dyn_cast<AffineDimExpr>(match[dim]); expr && added.reduction[dim])
      parts.reduction[expr.getPosition()] = true;
  auto rewrite = [&](AffineMap map) {
    return map.replaceDimsAndSymbols(match, {}, parts.sizes.size(), map.getNumSymbols());
  };
  for (const nest::Input &input : added.inputs)
    if (input.tensor.getDefiningOp() != first.getOperation())
      parts.inputs.push_back({input.tensor, rewrite(input.map), input.pad});
  for (const nest::Output &output : added.outputs) parts.outputs.push_back({rewrite(output.map), output.elementType});
  parts.name = StringRef(parts.name).ends_with(added.name) ? parts.name : parts.name + "_" + added.name;

  builder.setInsertionPoint(second);
  NestOp merged = parts.create(builder, [&](OpBuilder &b, ValueRange inputs) {
    SmallVector<Value> results = nest::copyBody(b, first, inputs.take_front(first.getNumInputs()));
    SmallVector<Value> secondInputs;
    ValueRange rest = inputs.drop_front(first.getNumInputs());
    for (const nest::Input &input : added.inputs) {
      auto made = dyn_cast<OpResult>(input.tensor);
      if (made && made.getOwner() == first.getOperation()) {
        secondInputs.push_back(results[made.getResultNumber()]);
      } else {
        secondInputs.push_back(rest.front());
        rest = rest.drop_front();
      }
    }
    auto index = [&](unsigned dim) { return nest::materialize(b, second.getLoc(), match[dim], parts.sizes); };
    llvm::append_range(results, nest::copyBody(b, second, secondInputs, index));
    return results;
  });
  auto results = merged.getResults();
  for (Value result : first.getResults())
    result.replaceAllUsesExcept(results[cast<OpResult>(result).getResultNumber()], second);
  second.replaceAllUsesWith(results.drop_front(first.getNumResults()));
  return merged;
}

} // namespace tensorjit::fuse_nests
