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
    for (ArrayRef<LowerEntry> family :
         {shapeLowerings(), reductionLowerings(), contractionLowerings(), convolutionLowerings(), windowLowerings(),
          softmaxLowerings(), lossLowerings(), castLowerings()})
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

void lower(func::FuncOp function, CompileReport *report) {
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front())) {
    if (op.getName().getDialectNamespace() != "tj") continue;
    OpBuilder builder(&op);
    Lowering l{builder, &op, {}};
    Values results = lowerOp(l);
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
