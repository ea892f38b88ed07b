#include "lower/Lower.h"

#include "lower/Lowering.h"
#include "lower/Scalars.h"
#include "nest/IndexExpr.h"
#include "tensor/OpBridge.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace tensorjit {

using namespace lower_ops;

static const llvm::StringMap<LowerFn> &lowerings() {
  static const llvm::StringMap<LowerFn> table = [] {
    llvm::StringMap<LowerFn> entries;
    for (ArrayRef<LowerEntry> family : {shapeLowerings(), indexLowerings(), reductionLowerings(), scanLowerings(),
                                        contractionLowerings(), convolutionLowerings(), windowLowerings(),
                                        softmaxLowerings(), lossLowerings(), castLowerings(), randomLowerings()})
      for (const LowerEntry &entry : family) entries[entry.mnemonic] = entry.lower;
    return entries;
  }();
  return table;
}

static Values lowerOp(Lowering &l) {
  StringRef mnemonic = l.op->getName().stripDialect();
  if (auto found = lowerings().find(mnemonic); found != lowerings().end()) return found->second(l);
  if (hasScalarBody(mnemonic)) return lowerPointwise(l);
  return l.refuse("no lowering for " + mnemonic);
}

// Why there is no code for what an op was lowered to, which lies between `before`, null for the block's begin, and the
// op.
static std::optional<std::string> refusalOf(Operation *before, Operation *op, const KernelRefusal &refusal) {
  for (Operation *made = op->getPrevNode(); made != before; made = made->getPrevNode())
    if (kernel::isKernel(made))
      if (auto why = refusal(made)) return why;
  return std::nullopt;
}

static void eraseBetween(Operation *before, Operation *op) {
  while (op->getPrevNode() != before) op->getPrevNode()->erase();
}

void lower(func::FuncOp function, CompileReport *report, const KernelRefusal &refusal, const CallReason &betterCalled) {
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front())) {
    if (op.getName().getDialectNamespace() != "tj") continue;
    OpBuilder builder(&op);
    Lowering l{builder, &op, {}};
    Operation *before = op.getPrevNode();
    auto call = betterCalled ? betterCalled(&op) : std::nullopt;
    Values results = call ? l.refuse(*call) : lowerOp(l);
    if (auto why = refusal && !results.empty() ? refusalOf(before, &op, refusal) : std::nullopt) {
      eraseBetween(before, &op);
      results = l.refuse(*why);
    }
    if (results.empty()) {
      op.setAttr("tj.refusal", builder.getStringAttr(l.refusal));
      if (report) report->fusionNotes.push_back("call of an eager kernel: " + l.refusal);
      continue;
    }
    op.replaceAllUsesWith(results);
    op.erase();
  }
}

namespace lower_ops {

int64_t Lowering::indexBound() const {
  OpId id;
  Attrs attrs;
  tj::toGraphNode(op, id, attrs);
  SmallVector<TensorType> operands;
  for (Type type : op->getOperandTypes()) operands.push_back(*tj::tensorTypeOf(type));
  return tensorjit::indexBound(info(id), {operands.data(), operands.size()}, attrs);
}

Value Scalars::index(AffineExpr expr, ArrayRef<int64_t> sizes) { return nest::materialize(b, loc, expr, sizes); }

SmallVector<AffineExpr> broadcastIndex(ArrayRef<AffineExpr> dims, ArrayRef<int64_t> sizes, MLIRContext *context) {
  SmallVector<AffineExpr> index;
  size_t skipped = dims.size() - sizes.size();
  for (size_t i = 0; i < sizes.size(); ++i)
    index.push_back(sizes[i] == 1 ? getAffineConstantExpr(0, context) : dims[skipped + i]);
  return index;
}

} // namespace lower_ops

} // namespace tensorjit
