// Where the value that a nest stores is one of f16 or bf16 in f32, half the memory holds it, and a contraction of such
// factors runs on tensor cores:
//
//   %p = nest [parallel 8] ins(%x at (i)) { yield extf(truncf(relu(x))) : f32 }
//   %c = nest [parallel 8, ...] ins(%p at (i), ...) { ^bb0(%a: f32, ...): ... }
// ->
//   %p = nest [parallel 8] ins(%x at (i)) { yield truncf(relu(x)) : f16 }
//   %c = nest [parallel 8, ...] ins(%p at (i), ...) { ^bb0(%a: f16, ...): extf(a) ... }
//
// A contraction with one such factor keeps both in f32.
#include "fuse/Cost.h"
#include "kernel/HalfType.h"
#include "layout/LayoutSteps.h"
#include "nest/NestParts.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace tensorjit::layout {

using kernel::NestOp;
using kernel::ViewOp;

// The result that is read through views.
static OpResult sourceOf(Value value) {
  while (auto view = value.getDefiningOp<ViewOp>()) value = view.getSource();
  return dyn_cast<OpResult>(value);
}

// The nests that read a value, through views too. False where something else reads it, or at positions that are data.
static bool collectReaders(Value value, llvm::SetVector<NestOp> &readers) {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    if (auto view = dyn_cast<ViewOp>(use.getOwner())) return collectReaders(view.getResult(), readers);
    auto nest = dyn_cast<NestOp>(use.getOwner());
    if (!nest || nest.getInputMap(use.getOperandNumber()).getNumSymbols()) return false;
    readers.insert(nest);
    return true;
  });
}

namespace {

class HalfStores {
public:
  explicit HalfStores(func::FuncOp function) : function_(function) {}

  void run() {
    for (NestOp nest : function_.getBody().front().getOps<NestOp>())
      for (OpResult result : nest->getResults())
        if (llvm::SetVector<NestOp> readers; halfOf(result) && collectReaders(result, readers) && !readers.empty())
          halves_[result] = halfOf(result);
    // What is left of them when contractions have both factors or none.
    while (dropLoneFactors() || dropCopiesOfOthers()) {
    }
    SmallVector<NestOp> nests(function_.getBody().front().getOps<NestOp>());
    for (NestOp nest : nests) rewrite(nest);
    eraseReplaced();
  }

private:
  // The type of what is known to be a half, or null.
  Type known(Value value) const {
    OpResult source = sourceOf(value);
    return source ? halves_.lookup(source) : Type();
  }

  // The type of f16 or bf16 that a result of a nest could have as well, or null.
  Type halfOf(OpResult result) const {
    auto nest = cast<NestOp>(result.getOwner());
    Value value = nest.getYield().getOperand(result.getResultNumber());
    if (auto copied = dyn_cast<BlockArgument>(value)) return known(nest.getInputs()[copied.getArgNumber()]);
    auto extended = value.getDefiningOp<arith::ExtFOp>();
    Type type = extended ? extended.getIn().getType() : Type();
    return type && kernel::isHalf(type) ? type : Type();
  }

  bool dropCopiesOfOthers() {
    SmallVector<OpResult> others;
    for (auto [result, type] : halves_)
      if (halfOf(result) != type) others.push_back(result);
    for (OpResult result : others) halves_.erase(result);
    return !others.empty();
  }

  bool dropLoneFactors() {
    bool changed = false;
    for (NestOp nest : function_.getBody().front().getOps<NestOp>()) {
      if (!fuse_nests::isContraction(nest)) continue;
      auto sum = *nest.getBlock()->getOps<kernel::ReduceOp>().begin();
      Operation *product = sum.getValue().getDefiningOp();
      SmallVector<OpResult> factors;
      for (Value factor : product->getOperands()) {
        Value tensor = nest.getInputs()[cast<BlockArgument>(factor).getArgNumber()];
        if (known(tensor)) factors.push_back(sourceOf(tensor));
      }
      if (factors.empty() || (factors.size() == 2 && known(factors[0]) == known(factors[1]))) continue;
      for (OpResult factor : factors) halves_.erase(factor);
      changed = true;
    }
    return changed;
  }

  // A nest that reads or makes halves, anew.
  void rewrite(NestOp nest) {
    bool makes = llvm::any_of(nest->getResults(), [&](OpResult result) { return halves_.contains(result); });
    bool reads = llvm::any_of(nest.getInputs(), [&](Value input) { return made_.contains(sourceOf(input)); });
    if (!makes && !reads) return;
    OpBuilder builder(nest);
    nest::NestParts parts(nest);
    for (nest::Input &input : parts.inputs)
      if (auto made = made_.find(sourceOf(input.tensor)); made != made_.end()) {
        auto type = cast<RankedTensorType>(input.tensor.getType()).clone(elementOf(made->second));
        input.tensor = made->second.getType() == type
                           ? made->second
                           : ViewOp::create(builder, nest.getLoc(), type, made->second).getResult();
        if (input.pad) input.pad = narrowed(cast<FloatAttr>(input.pad), type.getElementType());
      }
    for (auto [output, result] : llvm::zip_equal(parts.outputs, nest->getResults()))
      if (Type half = halves_.lookup(result)) output.elementType = half;
    NestOp fresh = parts.create(builder, [&](OpBuilder &b, ValueRange inputs) {
      SmallVector<Value> scalars;
      for (auto [scalar, argument] : llvm::zip_equal(inputs, nest.getBlock()->getArguments()))
        scalars.push_back(scalar.getType() == argument.getType()
                              ? scalar
                              : arith::ExtFOp::create(b, nest.getLoc(), argument.getType(), scalar).getResult());
      SmallVector<Value> results = nest::copyBody(b, nest, scalars);
      for (auto [value, result] : llvm::zip_equal(results, nest->getResults()))
        if (halves_.contains(result)) value = value.getDefiningOp<arith::ExtFOp>().getIn();
      return results;
    });
    for (auto [old, result] : llvm::zip_equal(nest->getResults(), fresh->getResults()))
      if (halves_.contains(old)) made_[old] = copiedBy(result);
      else old.replaceAllUsesWith(result);
    replaced_.push_back(nest);
    fresh_.push_back(fresh);
  }

  static Type elementOf(Value tensor) { return cast<RankedTensorType>(tensor.getType()).getElementType(); }

  static TypedAttr narrowed(FloatAttr pad, Type type) {
    APFloat value = pad.getValue();
    bool lost;
    value.convert(cast<FloatType>(type).getFloatSemantics(), APFloat::rmNearestTiesToEven, &lost);
    return FloatAttr::get(type, value);
  }

  // What a nest that only copies from, element by element, or the result itself.
  static Value copiedBy(OpResult result) {
    auto nest = cast<NestOp>(result.getOwner());
    auto argument = dyn_cast<BlockArgument>(nest.getYield().getOperand(result.getResultNumber()));
    if (!argument) return result;
    unsigned input = argument.getArgNumber();
    bool same = nest.getInputs()[input].getType() == result.getType() && !nest.getPad(input) &&
                nest.getInputMap(input) == nest.getOutputMap(result.getResultNumber());
    return same ? nest.getInputs()[input] : Value(result);
  }

  void eraseReplaced() {
    for (NestOp nest : llvm::reverse(replaced_)) {
      for (Operation *user : llvm::make_early_inc_range(nest->getUsers())) eraseView(user);
      nest.erase();
    }
    for (NestOp nest : llvm::reverse(fresh_)) {
      OpBuilder builder(nest);
      nest::tidy(builder, nest);
    }
  }

  static void eraseView(Operation *view) {
    for (Operation *user : llvm::make_early_inc_range(view->getUsers())) eraseView(user);
    view->erase();
  }

  func::FuncOp function_;
  llvm::MapVector<OpResult, Type> halves_; ///< results that are to be stored in half the memory
  llvm::DenseMap<Value, Value> made_;      ///< what stands for each of them
  SmallVector<NestOp> replaced_, fresh_;
};

} // namespace

void storeHalves(func::FuncOp function) { HalfStores(function).run(); }

} // namespace tensorjit::layout
