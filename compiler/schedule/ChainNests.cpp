// Nests that make large tensors and nests that read them, image by image, run slice by slice as one kernel. What only
// they see never goes to memory:
//
//   %y = nest "conv2d" [parallel 128, parallel 28, parallel 28, parallel 32, ...] ins(%x, %w)
//   %z = nest "max_pool2d" [parallel 128, parallel 14, parallel 14, parallel 32, ...] ins(%y at (n, h * 2 + p, ...))
// ->
//   %z = chain slices 64 (%x, %w) { nest "conv2d" ...; nest "max_pool2d" ... }
//
// A nest joins the chain of one that makes what it reads. The nests run in the order that needs the least memory.
#include "fuse/Cost.h"
#include "layout/ContractionOperands.h"
#include "nest/NestParts.h"
#include "plan/Memory.h"
#include "plan/SliceMemory.h"
#include "schedule/ScheduleSteps.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

#include <numeric>

namespace tensorjit::schedule_steps {

using kernel::ChainOp;
using kernel::NestOp;
using plan::bytesOf;
using plan::rootOf;

// What smaller tensors would save is not worth a split into slices: the cache holds them whole.
static constexpr int64_t leastBytes = 1 << 19;
// Units for the threads. More than enough of them are not needed, fewer would leave threads without work.
static constexpr int64_t leastSlices = 8, enoughSlices = 64;
// Of a second-level cache of 2 MiB: what a slice may take, and what it takes at ease.
static constexpr int64_t mostSliceBytes = 3 << 19, easySliceBytes = 1 << 19;
// What each slice of a contraction reads again, and the rows of a register tile that it should have.
static constexpr int64_t mostRereadBytes = 1 << 19, leastRows = 8;

static bool staysFast(NestOp contraction) {
  auto operands = layout::contractionOperands(contraction);
  if (!operands) return false;
  int64_t reread = 0, rows = 1;
  AffineMap a = contraction.getInputMap(operands->a), b = contraction.getInputMap(operands->b);
  for (unsigned i = 0; i < contraction.getNumInputs(); ++i)
    if (!contraction.getInputMap(i).isFunctionOfDim(0)) reread += bytesOf(contraction.getInputType(i));
  for (unsigned dim : contraction.getParallelDims())
    if (dim != 0 && a.isFunctionOfDim(dim) && !b.isFunctionOfDim(dim)) rows *= contraction.getSize(dim);
  return operands->vectorDim != 0 && reread <= mostRereadBytes && rows >= leastRows;
}

static bool canBeLink(NestOp nest) {
  if (!kernel::isSliceable(nest, 1) || nest.getSize(0) < leastSlices) return false;
  if (fuse_nests::updatesState(nest)) return false;
  return !fuse_nests::isContraction(nest) || staysFast(nest);
}

namespace {

struct Chain {
  llvm::SmallSetVector<NestOp, 8> nests; ///< in the program's order
  int64_t slices;                        ///< most of them; divides the size of dim 0 of each nest
};

class Chains {
public:
  explicit Chains(func::FuncOp function) : function_(function) {}

  void run() {
    for (auto nest : function_.getBody().front().getOps<NestOp>()) {
      if (!canBeLink(nest) || joinProducer(nest)) continue;
      chains_.push_back(std::make_unique<Chain>());
      chains_.back()->nests.insert(nest);
      chains_.back()->slices = nest.getSize(0);
      chainOf_[nest] = chains_.back().get();
    }
    for (auto &chain : chains_)
      if (chain->nests.size() > 1) make(*chain);
  }

private:
  NestOp makerOf(Value value) const { return rootOf(value).getDefiningOp<NestOp>(); }

  bool joinProducer(NestOp nest) {
    for (Value input : nest.getInputs()) {
      auto found = chainOf_.find(makerOf(input));
      if (found == chainOf_.end() || !canJoin(nest, *found->second)) continue;
      Chain &chain = *found->second;
      chain.nests.insert(nest);
      chain.slices = std::gcd(chain.slices, nest.getSize(0));
      chainOf_[nest] = &chain;
      return true;
    }
    return false;
  }

  bool canJoin(NestOp nest, const Chain &chain) {
    int64_t slices = std::gcd(chain.slices, nest.getSize(0));
    if (slices < leastSlices) return false;
    llvm::SmallSetVector<Value, 4> read;
    for (auto [i, input] : llvm::enumerate(nest.getInputs())) {
      NestOp maker = makerOf(input);
      if (!maker || !chain.nests.contains(maker)) continue;
      if (!kernel::readsOwnSlice(nest, i)) return false;
      read.insert(rootOf(input));
    }
    int64_t bytes = 0;
    for (Value value : read) bytes += bytesOf(value.getType());
    if (bytes < leastBytes) return false;
    Chain longer = chain;
    longer.nests.insert(nest);
    return !readsItselfThroughOthers(longer) && sliceBytes(longer, slices) <= mostSliceBytes;
  }

  // Whether something outside must run behind one nest of the chain and before another. Other chains run as one.
  bool readsItselfThroughOthers(const Chain &chain) const {
    SmallVector<Operation *> pending;
    llvm::DenseSet<Operation *> seen;
    auto follow = [&](Operation *op) {
      for (Value operand : op->getOperands())
        if (Operation *maker = rootOf(operand).getDefiningOp()) pending.push_back(maker);
    };
    for (NestOp nest : chain.nests)
      for (Value operand : nest->getOperands())
        if (Operation *maker = rootOf(operand).getDefiningOp(); maker && !contains(chain, maker))
          pending.push_back(maker);
    while (!pending.empty()) {
      Operation *op = pending.pop_back_val();
      if (contains(chain, op)) return true;
      if (!seen.insert(op).second) continue;
      auto other = chainOf_.find(op);
      if (other == chainOf_.end()) follow(op);
      else
        for (NestOp nest : other->second->nests) follow(nest);
    }
    return false;
  }

  static bool contains(const Chain &chain, Operation *op) {
    auto nest = dyn_cast<NestOp>(op);
    return nest && chain.nests.contains(nest);
  }

  static bool isLocal(const Chain &chain, Value value) {
    return llvm::all_of(value.getUsers(), [&](Operation *user) {
      return isa<kernel::ViewOp>(user) ? isLocal(chain, user->getResult(0)) : contains(chain, user);
    });
  }

  static SmallVector<NestOp> ordered(const Chain &chain) {
    SmallVector<NestOp> order;
    llvm::DenseSet<Operation *> done;
    auto isReady = [&](NestOp nest) {
      return llvm::all_of(nest->getOperands(), [&](Value operand) {
        Operation *maker = rootOf(operand).getDefiningOp();
        return !maker || !contains(chain, maker) || done.contains(maker);
      });
    };
    // Bytes that come into use less those that nobody needs any more.
    auto growth = [&](NestOp nest) {
      int64_t bytes = 0;
      for (Value result : nest->getResults())
        if (isLocal(chain, result)) bytes += bytesOf(result.getType());
      llvm::SmallSetVector<Value, 4> read;
      for (Value operand : nest->getOperands()) read.insert(rootOf(operand));
      for (Value value : read)
        if (Operation *maker = value.getDefiningOp();
            maker && contains(chain, maker) && isLocal(chain, value) && isLastReader(nest, value, done))
          bytes -= bytesOf(value.getType());
      return bytes;
    };
    while (order.size() < chain.nests.size()) {
      NestOp best;
      for (NestOp nest : chain.nests)
        if (!done.contains(nest) && isReady(nest) && (!best || growth(nest) < growth(best))) best = nest;
      order.push_back(best);
      done.insert(best);
    }
    return order;
  }

  static bool isLastReader(NestOp nest, Value value, const llvm::DenseSet<Operation *> &done) {
    return llvm::all_of(value.getUsers(), [&](Operation *user) {
      if (isa<kernel::ViewOp>(user)) return isLastReader(nest, user->getResult(0), done);
      return user == nest || done.contains(user);
    });
  }

  static int64_t sliceBytes(const Chain &chain, int64_t slices) {
    return plan::planSliceMemory(ordered(chain), slices, [&](Value value) { return isLocal(chain, value); }).bytes;
  }

  // A kernel starts anew in each slice: no more of them than the threads and the cache ask for.
  static int64_t fewestSlices(const Chain &chain) {
    for (int64_t slices = enoughSlices; slices < chain.slices; ++slices)
      if (chain.slices % slices == 0 && sliceBytes(chain, slices) <= easySliceBytes) return slices;
    return chain.slices;
  }

  void make(const Chain &chain) {
    SmallVector<NestOp> nests = ordered(chain);
    OpBuilder builder(nests.back());
    SmallVector<Value> inputs, results;
    SmallVector<Type> types;
    Location loc = nests.front().getLoc();
    for (NestOp nest : nests) {
      loc = nest::fuseLocations(loc, nest.getLoc());
      for (Value input : nest.getInputs())
        if (Operation *maker = rootOf(input).getDefiningOp();
            (!maker || !contains(chain, maker)) && !llvm::is_contained(inputs, input))
          inputs.push_back(input);
      for (Value result : nest.getResults())
        if (!isLocal(chain, result)) results.push_back(result);
    }
    for (Value result : results) types.push_back(result.getType());
    auto made = ChainOp::create(builder, loc, types, builder.getStringAttr(nests.front().getSymName() + "_chain"),
                                builder.getI64IntegerAttr(fewestSlices(chain)), inputs);
    fill(made, nests, results);
    for (auto [old, value] : llvm::zip_equal(results, made.getResults())) old.replaceAllUsesWith(value);
    for (NestOp nest : llvm::reverse(nests)) {
      for (Value result : nest->getResults()) eraseViews(result);
      nest.erase();
    }
    sortTopologically(made->getBlock());
  }

  static void fill(ChainOp chain, ArrayRef<NestOp> nests, ArrayRef<Value> results) {
    Block &body = chain.getBody().emplaceBlock();
    IRMapping mapping;
    for (Value input : chain.getInputs()) mapping.map(input, body.addArgument(input.getType(), chain.getLoc()));
    OpBuilder inside = OpBuilder::atBlockEnd(&body);
    for (NestOp nest : nests) {
      for (Value input : nest.getInputs())
        if (!mapping.contains(input))
          mapping.map(input,
                      kernel::ViewOp::create(inside, nest.getLoc(), input.getType(), mapping.lookup(rootOf(input)))
                          .getResult());
      inside.clone(*nest.getOperation(), mapping);
    }
    SmallVector<Value> yields;
    for (Value result : results) yields.push_back(mapping.lookup(result));
    kernel::YieldOp::create(inside, chain.getLoc(), yields);
  }

  static void eraseViews(Value value) {
    for (Operation *user : llvm::make_early_inc_range(value.getUsers())) {
      eraseViews(user->getResult(0));
      user->erase();
    }
  }

  func::FuncOp function_;
  std::vector<std::unique_ptr<Chain>> chains_;
  llvm::DenseMap<Operation *, Chain *> chainOf_;
};

} // namespace

void chainNests(func::FuncOp function) { Chains(function).run(); }

} // namespace tensorjit::schedule_steps
