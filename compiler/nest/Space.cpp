#include "nest/Space.h"

#include "kernel/AffineRange.h"

using namespace mlir;

namespace tensorjit::nest {

static void addTerms(LinearForm &form, AffineExpr expr, int64_t factor) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    form.constant += constant.getValue() * factor;
  } else if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    form.coefficients[dim.getPosition()] += factor;
  } else if (expr.getKind() == AffineExprKind::Add) {
    auto sum = cast<AffineBinaryOpExpr>(expr);
    addTerms(form, sum.getLHS(), factor);
    addTerms(form, sum.getRHS(), factor);
  } else if (auto product = dyn_cast<AffineBinaryOpExpr>(expr);
             product && expr.getKind() == AffineExprKind::Mul && isa<AffineConstantExpr>(product.getRHS())) {
    addTerms(form, product.getLHS(), factor * cast<AffineConstantExpr>(product.getRHS()).getValue());
  } else {
    form.atoms.push_back({expr, factor});
  }
}

LinearForm linearForm(AffineExpr expr, unsigned dimCount) {
  LinearForm form;
  form.coefficients.assign(dimCount, 0);
  addTerms(form, expr, 1);
  return form;
}

std::optional<unsigned> positionOf(AffineExpr atom) {
  auto product = dyn_cast<AffineBinaryOpExpr>(atom);
  if (product && atom.getKind() == AffineExprKind::Mul) atom = product.getRHS();
  auto symbol = dyn_cast<AffineSymbolExpr>(atom);
  return symbol ? std::optional(symbol.getPosition()) : std::nullopt;
}

bool Access::hasPositions() const {
  return llvm::any_of(indices, [](AffineExpr index) { return positionOf(index).has_value(); });
}

bool LinearForm::isLinearIn(unsigned dim) const {
  return llvm::none_of(atoms, [&](auto &atom) { return atom.first.isFunctionOfDim(dim); });
}

bool Access::dependsOn(unsigned dim) const {
  return address.isFunctionOfDim(dim) ||
         llvm::any_of(guards, [&](const Guard &guard) { return guard.index.isFunctionOfDim(dim); });
}

int64_t Space::points(bool reductionDims) const {
  int64_t count = 1;
  for (unsigned dim : dims(reductionDims)) count *= sizes[dim];
  return count;
}

SmallVector<unsigned> Space::dims(bool reductionDims) const {
  SmallVector<unsigned> result;
  for (unsigned dim = 0; dim < dimCount(); ++dim)
    if (reduction[dim] == reductionDims) result.push_back(dim);
  return result;
}

bool Space::usesIndex(unsigned dim) const {
  return llvm::any_of(kernel::NestOp(nest).getBlock()->getOps<kernel::IndexOp>(),
                      [&](kernel::IndexOp op) { return indices[op.getDim()].isFunctionOfDim(dim); });
}

// `mod` and `floordiv` that the sizes make trivial go away.
static AffineExpr simplifyTrivial(AffineExpr expr, ArrayRef<int64_t> sizes) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary) return expr;
  AffineExpr left = simplifyTrivial(binary.getLHS(), sizes), right = simplifyTrivial(binary.getRHS(), sizes);
  expr = getAffineBinaryOpExpr(binary.getKind(), left, right);
  binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary || (expr.getKind() != AffineExprKind::Mod && expr.getKind() != AffineExprKind::FloorDiv)) return expr;
  auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  auto range = kernel::rangeOf(binary.getLHS(), sizes);
  if (!divisor || !range || divisor.getValue() <= 0) return expr;
  int64_t quotient = llvm::divideFloorSigned(range->lo, divisor.getValue());
  if (quotient != llvm::divideFloorSigned(range->hi, divisor.getValue())) return expr;
  if (expr.getKind() == AffineExprKind::FloorDiv) return getAffineConstantExpr(quotient, expr.getContext());
  return binary.getLHS() - quotient * divisor.getValue();
}

static void mapExprs(Space &space, llvm::function_ref<AffineExpr(AffineExpr)> map) {
  for (auto *accesses : {&space.inputs, &space.outputs})
    for (Access &access : *accesses) {
      access.address = map(access.address);
      for (Guard &guard : access.guards) guard.index = map(guard.index);
      for (AffineExpr &index : access.indices) index = map(index);
    }
  for (AffineExpr &dim : space.pinned) dim = map(dim);
  for (AffineExpr &index : space.indices) index = map(index);
}

static void simplifyAll(Space &space) {
  mapExprs(space, [&](AffineExpr expr) { return simplifyTrivial(expr, space.sizes); });
  for (Access &access : space.inputs)
    llvm::erase_if(access.guards, [&](const Guard &guard) {
      auto range = kernel::rangeOf(guard.index, space.sizes);
      return range && range->lo >= 0 && range->hi < guard.size;
    });
}

static void replaceDims(Space &space, ArrayRef<AffineExpr> replacements) {
  mapExprs(space, [&](AffineExpr expr) { return expr.replaceDims(replacements); });
}

unsigned Space::split(unsigned dim, int64_t factor) {
  MLIRContext *context = nest.getContext();
  SmallVector<AffineExpr> replacements;
  for (unsigned i = 0; i < dimCount(); ++i) replacements.push_back(getAffineDimExpr(i, context));
  unsigned inner = dimCount();
  replacements[dim] = replacements[dim] * factor + getAffineDimExpr(inner, context);
  sizes[dim] = llvm::divideCeil(sizes[dim], factor);
  sizes.push_back(factor);
  reduction.push_back(reduction[dim]);
  replaceDims(*this, replacements);
  mapExprs(*this, [&](AffineExpr expr) { return simplifyTrivial(expr, sizes); });
  return inner;
}

static void removeDim(Space &space, unsigned dim, AffineExpr value) {
  MLIRContext *context = space.nest.getContext();
  SmallVector<AffineExpr> replacements;
  for (unsigned i = 0; i < space.dimCount(); ++i) replacements.push_back(getAffineDimExpr(i - (i > dim), context));
  replacements[dim] = value;
  space.sizes.erase(space.sizes.begin() + dim);
  space.reduction.erase(space.reduction.begin() + dim);
  replaceDims(space, replacements);
  simplifyAll(space);
}

static bool isDense(const Space &space, unsigned outer, unsigned inner) {
  if (space.reduction[outer] != space.reduction[inner]) return false;
  if (space.usesIndex(outer) || space.usesIndex(inner)) return false;
  if (space.isSliceNumber(outer) || space.isSliceNumber(inner)) return false;
  for (AffineExpr dim : space.pinned)
    if (dim.isFunctionOfDim(outer) || dim.isFunctionOfDim(inner)) return false;
  auto denseIn = [&](const Access &access) {
    LinearForm form = space.addressForm(access);
    if (!form.isLinearIn(outer) || !form.isLinearIn(inner)) return false;
    for (const Guard &guard : access.guards)
      if (guard.index.isFunctionOfDim(outer) || guard.index.isFunctionOfDim(inner)) return false;
    return form.coefficients[outer] == form.coefficients[inner] * space.sizes[inner];
  };
  return llvm::all_of(space.inputs, denseIn) && llvm::all_of(space.outputs, denseIn);
}

static bool mergeOnePair(Space &space) {
  for (unsigned outer = 0; outer < space.dimCount(); ++outer)
    for (unsigned inner = 0; inner < space.dimCount(); ++inner)
      if (outer != inner && isDense(space, outer, inner)) {
        // Everything is linear in `outer` with the matching coefficient, so `inner` alone can run over both.
        space.sizes[inner] *= space.sizes[outer];
        removeDim(space, outer, getAffineConstantExpr(0, space.nest.getContext()));
        return true;
      }
  return false;
}

// `positions` stand for the map's symbols.
static Access makeAccess(Value memory, RankedTensorType type, AffineMap map, TypedAttr pad,
                         ArrayRef<AffineExpr> positions = {}) {
  Access access{memory, type.getElementType(), type.getNumElements(), {}, {}, pad, {}, {}};
  for (AffineExpr index : map.getResults()) access.indices.push_back(index.replaceSymbols(positions));
  llvm::append_range(access.shape, type.getShape());
  access.address = getAffineConstantExpr(0, map.getContext());
  for (auto [index, size] : llvm::zip_equal(access.indices, type.getShape())) {
    access.address = access.address * size + index;
    if (pad && !positionOf(index)) access.guards.push_back({index, size});
  }
  return access;
}

// The dims that each value of the body differs along.
static llvm::DenseMap<Value, llvm::SmallBitVector> dimsOfValues(kernel::NestOp nest) {
  llvm::DenseMap<Value, llvm::SmallBitVector> dims;
  llvm::SmallBitVector reduced(nest.getNumDims());
  for (unsigned dim : nest.getReductionDims()) reduced.set(dim);
  for (unsigned i = 0; i < nest.getNumInputs(); ++i) {
    auto &own = dims[nest.getBlock()->getArgument(i)];
    own.resize(nest.getNumDims());
    for (unsigned dim = 0; dim < nest.getNumDims(); ++dim)
      if (nest.getInputMap(i).isFunctionOfDim(dim)) own.set(dim);
  }
  for (Operation &op : nest.getBlock()->without_terminator()) {
    llvm::SmallBitVector own(nest.getNumDims());
    for (Value operand : op.getOperands()) own |= dims.find(operand)->second;
    if (auto index = dyn_cast<kernel::IndexOp>(op)) own.set(index.getDim());
    if (isa<kernel::ReduceOp, kernel::ArgReduceOp>(op)) own.reset(reduced);
    for (Value result : op.getResults()) dims[result] = own;
  }
  return dims;
}

// What stands in addresses for the symbols of an input's map.
static SmallVector<AffineExpr> positionsOf(kernel::NestOp nest, unsigned input) {
  SmallVector<AffineExpr> positions;
  unsigned count = nest.getInputMap(input).getNumSymbols();
  if (count == 0) return positions;
  MLIRContext *context = nest.getContext();
  auto dims = dimsOfValues(nest);
  for (unsigned i = 0; i < count; ++i) {
    llvm::SmallBitVector own(nest.getNumDims());
    for (Operation *read : nest.getBlock()->getArgument(input).getUsers())
      own |= dims.find(cast<kernel::ReadOp>(read).getPositions()[i])->second;
    AffineExpr along = getAffineConstantExpr(1, context);
    for (unsigned dim : own.set_bits()) along = along + getAffineDimExpr(dim, context);
    positions.push_back(along * getAffineSymbolExpr(i, context));
  }
  return positions;
}

Space makeSpace(kernel::NestOp nest, ValueRange memory) {
  Space space{nest, SmallVector<int64_t>(nest.getSizes()), {}, {}, {}, {}, {}, false};
  for (unsigned dim = 0; dim < nest.getNumDims(); ++dim) {
    space.reduction.push_back(nest.isReduction(dim));
    space.indices.push_back(getAffineDimExpr(dim, nest.getContext()));
  }
  auto memoryAt = [&](unsigned i) { return memory.empty() ? Value() : memory[i]; };
  for (unsigned i = 0; i < nest.getNumInputs(); ++i)
    space.inputs.push_back(
        makeAccess(memoryAt(i), nest.getInputType(i), nest.getInputMap(i), nest.getPad(i), positionsOf(nest, i)));
  for (unsigned i = 0; i < nest.getNumOutputs(); ++i)
    space.outputs.push_back(
        makeAccess(memoryAt(nest.getNumInputs() + i), nest.getOutputType(i), nest.getOutputMap(i), {}));
  simplifyAll(space);
  for (unsigned dim = space.dimCount(); dim-- > 0;)
    if (space.sizes[dim] == 1) removeDim(space, dim, getAffineConstantExpr(0, nest.getContext()));
  return space;
}

static void splitOutermost(Space &space, int64_t slices) {
  MLIRContext *context = space.nest.getContext();
  int64_t size = space.sizes[0] / slices;
  if (size == 1) return;
  SmallVector<AffineExpr> replacements{getAffineDimExpr(0, context) * size + getAffineDimExpr(1, context)};
  for (unsigned dim = 1; dim < space.dimCount(); ++dim) replacements.push_back(getAffineDimExpr(dim + 1, context));
  space.sizes[0] = slices;
  space.sizes.insert(space.sizes.begin() + 1, size);
  space.reduction.insert(space.reduction.begin() + 1, false);
  replaceDims(space, replacements);
  mapExprs(space, [&](AffineExpr expr) { return simplifyTrivial(expr, space.sizes); });
}

void cutIntoSlices(Space &space, int64_t slices, ArrayRef<bool> local) {
  splitOutermost(space, slices);
  space.sliced = true;
  MLIRContext *context = space.nest.getContext();
  SmallVector<AffineExpr> inSlice{getAffineConstantExpr(0, context)};
  for (unsigned dim = 1; dim < space.dimCount(); ++dim) inSlice.push_back(getAffineDimExpr(dim, context));
  for (auto [i, isLocal] : llvm::enumerate(local)) {
    if (!isLocal) continue;
    Access &access = i < space.inputs.size() ? space.inputs[i] : space.outputs[i - space.inputs.size()];
    // What lies outside the tensor, which guards decide, is still told by the place in the whole of it.
    access.address = simplifyTrivial(access.address.replaceDims(inSlice), space.sizes);
    for (AffineExpr &index : access.indices) index = simplifyTrivial(index.replaceDims(inSlice), space.sizes);
    access.elements /= slices;
    access.shape[0] /= slices;
  }
}

void mergeDims(Space &space) {
  while (mergeOnePair(space)) {
  }
}

} // namespace tensorjit::nest
