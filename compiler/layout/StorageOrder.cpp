// Memory order of intermediate tensors. A convolution's nest walks its result as [n, h, w, channel]; the result then
// lies in memory like that, and so do the tensors that pointwise and pooling nests make of it:
//
//   %y = nest [parallel n, h, w, o, reduction ...] outs((n, h, w, o, ...) -> (n, o, h, w) : tensor<NxOxHxW>)
//   %z = nest [parallel n, o, h, w] ins(%y at (n, o, h, w)) ...
// ->
//   %y = nest [...] outs((n, h, w, o, ...) -> (n, h, w, o) : tensor<NxHxWxO>)
//   %z = nest [parallel n, o, h, w] ins(%y at (n, h, w, o)) ...
//
// Where nothing of that kind comes before, results take the order in which a contraction will read them. An argument
// that lies in an order of its own leads like a convolution's result; results of the function that are images are
// handed out as they lie:
//
//   return %y : tensor<NxOxHxW>   ->   return %y : tensor<NxHxWxO>   with the result's tj.order = [0, 2, 3, 1]
#include "fuse/Cost.h"
#include "import/Import.h"
#include "kernel/NestBuilder.h"
#include "layout/LayoutSteps.h"
#include "nest/NestParts.h"

#include "llvm/ADT/MapVector.h"

namespace tensorjit::layout {

using kernel::NestOp;
using Order = SmallVector<unsigned>; ///< logical dims, outermost in memory first

bool followsOrder(OpOperand &use) {
  if (isa<NestOp>(use.getOwner())) return true;
  if (!isa<func::ReturnOp>(use.getOwner()) || cast<RankedTensorType>(use.get().getType()).getRank() != 4) return false;
  auto function = cast<func::FuncOp>(use.getOwner()->getParentOp());
  return !function.getResultAttr(use.getOperandNumber(), "tj.updates");
}

namespace {

class OrderChooser {
public:
  explicit OrderChooser(func::FuncOp function) : function_(function), block_(function.getBody().front()) {}

  void run() {
    for (BlockArgument argument : block_.getArguments())
      if (function_.getArgAttr(argument.getArgNumber(), orderAttr)) {
        Order &order = orders_[argument]; // its type says already how it lies
        for (unsigned i = 0; i < cast<RankedTensorType>(argument.getType()).getRank(); ++i) order.push_back(i);
      }
    for (auto nest : llvm::to_vector(block_.getOps<NestOp>()))
      fuse_nests::isContraction(nest) ? seed(nest) : propagate(nest);
    apply();
    function_.setFunctionType(
        function_.getFunctionType().clone(function_.getArgumentTypes(), block_.getTerminator()->getOperandTypes()));
  }

private:
  // Images stay one after another: a weight's gradient is small and read by those who want it row-major.
  static bool follows(OpOperand &use, const Order &order) {
    return followsOrder(use) && (isa<NestOp>(use.getOwner()) || order.front() == 0);
  }

  static bool isMovable(Value value, const Order &order) {
    return value.getDefiningOp<NestOp>() &&
           llvm::all_of(value.getUses(), [&](OpOperand &use) { return follows(use, order); });
  }

  // Dims of the tensor by when the nest's dims that index it come.
  static Order orderBy(AffineMap map, ArrayRef<unsigned> rankOfDim) {
    Order order(map.getNumResults());
    for (unsigned i = 0; i < order.size(); ++i) order[i] = i;
    auto rank = [&](unsigned result) {
      auto dim = dyn_cast<AffineDimExpr>(map.getResult(result));
      return dim ? rankOfDim[dim.getPosition()] : 0;
    };
    llvm::stable_sort(order, [&](unsigned a, unsigned b) { return rank(a) < rank(b); });
    return order;
  }

  void choose(Value value, Order order) {
    if (!llvm::is_sorted(order) && isMovable(value, order)) orders_[value] = std::move(order);
  }

  // A contraction must write in its own order: whoever does not follow it gets a copy. So do nests that update state,
  // which lies row-major, where there is a copy at all.
  void separate(Value value, const Order &order) {
    if (llvm::is_sorted(order) || isMovable(value, order)) return;
    auto nest = value.getDefiningOp<NestOp>();
    OpBuilder builder(nest->getContext());
    builder.setInsertionPointAfter(nest);
    kernel::NestBuilder copy(builder, nest.getLoc(), "reorder");
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<AffineExpr> dims = copy.parallel(type.getShape());
    copy.input(value, dims);
    copy.output(type.getElementType(), dims);
    NestOp copied = copy.create([](OpBuilder &, Location, ValueRange in) { return SmallVector<Value>(in); });
    value.replaceUsesWithIf(copied.getResult(0), [&](OpOperand &use) {
      auto user = dyn_cast<NestOp>(use.getOwner());
      return user != copied && (!follows(use, order) || (user && fuse_nests::updatesState(user)));
    });
  }

  // A contraction writes in the order of its dims, unless a tensor that is ordered already says better.
  void seed(NestOp nest) {
    for (unsigned i = 0; i < nest.getNumOutputs(); ++i) {
      Order order = orderBy(nest.getOutputMap(i), rankInContraction(nest, nest.getOutputs()[i]));
      separate(nest.getOutputs()[i], order);
      choose(nest.getOutputs()[i], order);
    }
  }

  SmallVector<unsigned> rankInContraction(NestOp nest, Value result) {
    SmallVector<unsigned> rank(nest.getNumDims());
    for (unsigned dim = 0; dim < rank.size(); ++dim) rank[dim] = dim + 1;
    // The operand that is read along the last dim should be read as it lies.
    unsigned last = nest.getParallelDims().back(), end = rank.size() + 1;
    for (unsigned i = 0; i < nest.getNumInputs(); ++i)
      if (nest.getInputMap(i).isFunctionOfDim(last) && orders_.contains(nest.getInputs()[i])) {
        SmallVector<unsigned> inOperand = rankInOperand(nest, i);
        for (unsigned dim = 0; dim < rank.size(); ++dim)
          if (inOperand[dim]) rank[dim] = end + inOperand[dim];
        return rank;
      }
    // A reader that walks an ordered tensor beside the result wants it in the same order. Rows and columns of matrices
    // are both read well by products.
    auto map = nest.getOutputMap(cast<OpResult>(result).getResultNumber());
    for (Operation *user : result.getUsers()) {
      auto reader = dyn_cast<NestOp>(user);
      int leader = reader ? leaderOf(reader) : -1;
      if (leader < 0 || (map.getNumResults() < 3 && fuse_nests::isContraction(reader))) continue;
      SmallVector<unsigned> readerRank = rankInOperand(reader, leader);
      AffineMap read = reader.getInputMap(llvm::find(reader.getInputs(), result) - reader.getInputs().begin());
      for (auto [made, at] : llvm::zip_equal(map.getResults(), read.getResults()))
        for (unsigned dim = 0; dim < readerRank.size(); ++dim)
          if (auto own = dyn_cast<AffineDimExpr>(made); own && at.isFunctionOfDim(dim) && readerRank[dim])
            rank[own.getPosition()] = end + readerRank[dim];
      return rank;
    }
    return rank;
  }

  // The largest operand whose order has been chosen.
  int leaderOf(NestOp nest) {
    int leader = -1;
    for (unsigned i = 0; i < nest.getNumInputs(); ++i)
      if (orders_.contains(nest.getInputs()[i]) &&
          (leader < 0 || nest.getInputType(i).getNumElements() > nest.getInputType(leader).getNumElements()))
        leader = i;
    return leader;
  }

  // From 1 up, when each dim of the nest first occurs in the operand's memory order; 0 for dims that do not occur.
  SmallVector<unsigned> rankInOperand(NestOp nest, unsigned input) {
    SmallVector<unsigned> rank(nest.getNumDims(), 0);
    for (auto [place, result] : llvm::enumerate(orders_[nest.getInputs()[input]]))
      for (unsigned dim = 0; dim < rank.size(); ++dim)
        if (!rank[dim] && nest.getInputMap(input).getResult(result).isFunctionOfDim(dim)) rank[dim] = place + 1;
    return rank;
  }

  // Results follow the leader, or else the contraction that reads them.
  void propagate(NestOp nest) {
    nest = separateForContractions(nest);
    int leader = leaderOf(nest);
    SmallVector<unsigned> rank;
    if (leader >= 0) rank = rankInOperand(nest, leader);
    for (unsigned i = 0; i < nest.getNumOutputs(); ++i) {
      if (leader >= 0) choose(nest.getOutputs()[i], orderBy(nest.getOutputMap(i), rank));
      else if (auto order = wantedByContraction(nest.getOutputs()[i])) choose(nest.getOutputs()[i], *order);
    }
  }

  // The order in which a convolution or its gradient reads an image: channels last, which it takes as scalars of a dot
  // product (the operand without the last parallel dim) or as a vector (the operand with it).
  static std::optional<Order> wantedByContraction(Value value) {
    if (cast<RankedTensorType>(value.getType()).getRank() < 4) return std::nullopt;
    for (OpOperand &use : value.getUses()) {
      auto nest = dyn_cast<NestOp>(use.getOwner());
      if (!nest || !fuse_nests::isContraction(nest)) continue;
      AffineMap map = nest.getInputMap(use.getOperandNumber());
      unsigned vectorDim = nest.getParallelDims().back(), last = nest.getNumDims();
      bool isVector = map.isFunctionOfDim(vectorDim);
      auto rank = [&](unsigned result) {
        AffineExpr expr = map.getResult(result);
        if (isVector) return expr.isFunctionOfDim(vectorDim) ? last : 0u;
        for (unsigned dim : nest.getParallelDims())
          if (expr.isFunctionOfDim(dim)) return dim;
        return last;
      };
      // A weight gradient sums over images: it reads the other operand well in any order.
      if (!isVector && rank(0) == last) continue;
      Order order(map.getNumResults());
      for (unsigned i = 0; i < order.size(); ++i) order[i] = i;
      llvm::stable_sort(order, [&](unsigned a, unsigned b) { return rank(a) < rank(b); });
      return order;
    }
    return std::nullopt;
  }

  // A result that has to keep its order is written a second time for the contractions that read it.
  static NestOp separateForContractions(NestOp nest) {
    nest::NestParts parts(nest);
    SmallVector<unsigned> doubled;
    for (unsigned i = 0; i < nest.getNumOutputs(); ++i) {
      auto order = wantedByContraction(nest.getOutputs()[i]);
      if (!order || llvm::is_sorted(*order) || isMovable(nest.getOutputs()[i], *order)) continue;
      doubled.push_back(i);
      parts.outputs.push_back(parts.outputs[i]);
    }
    if (doubled.empty()) return nest;
    OpBuilder builder(nest);
    NestOp made = parts.create(builder, [&](OpBuilder &b, ValueRange inputs) {
      SmallVector<Value> results = nest::copyBody(b, nest, inputs);
      for (unsigned i : doubled) results.push_back(results[i]);
      return results;
    });
    for (auto [place, i] : llvm::enumerate(doubled))
      nest.getOutputs()[i].replaceUsesWithIf(made.getOutputs()[nest.getNumOutputs() + place],
                                             [](OpOperand &use) { return followsOrder(use); });
    nest.replaceAllUsesWith(made.getOutputs().take_front(nest.getNumOutputs()));
    nest.erase();
    return made;
  }

  static AffineMap permuted(AffineMap map, const Order &order) {
    SmallVector<AffineExpr> results;
    for (unsigned result : order) results.push_back(map.getResult(result));
    return AffineMap::get(map.getNumDims(), map.getNumSymbols(), results, map.getContext());
  }

  void apply() {
    llvm::DenseMap<Value, Order> made; // orders of the new results
    for (auto nest : llvm::make_early_inc_range(block_.getOps<NestOp>())) {
      nest::NestParts parts(nest);
      bool changed = false;
      for (nest::Input &input : parts.inputs)
        if (auto order = made.find(input.tensor); order != made.end()) {
          input.map = permuted(input.map, order->second);
          changed = true;
        }
      for (auto [output, value] : llvm::zip_equal(parts.outputs, nest.getOutputs()))
        if (auto order = orders_.find(value); order != orders_.end()) {
          output.map = permuted(output.map, order->second);
          changed = true;
        }
      if (!changed) continue;
      OpBuilder builder(nest);
      NestOp replacement =
          parts.create(builder, [&](OpBuilder &b, ValueRange inputs) { return nest::copyBody(b, nest, inputs); });
      for (auto [old, value] : llvm::zip_equal(nest.getOutputs(), replacement.getOutputs()))
        if (auto order = orders_.find(old); order != orders_.end()) {
          made[value] = order->second;
          noteResults(old, order->second);
        }
      nest.replaceAllUsesWith(replacement.getResults());
      nest.erase();
    }
  }

  void noteResults(Value value, const Order &order) {
    SmallVector<int64_t> dims(order.begin(), order.end());
    for (OpOperand &use : value.getUses())
      if (isa<func::ReturnOp>(use.getOwner()))
        function_.setResultAttr(use.getOperandNumber(), orderAttr,
                                DenseI64ArrayAttr::get(function_.getContext(), dims));
  }

  func::FuncOp function_;
  Block &block_;
  llvm::DenseMap<Value, Order> orders_;
};

} // namespace

void chooseStorageOrder(func::FuncOp function) { OrderChooser(function).run(); }

} // namespace tensorjit::layout
