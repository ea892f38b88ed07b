#include "simplify/Simplify.h"

#include "simplify/Patterns.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tensorjit {

void simplify(func::FuncOp function) {
  IRRewriter rewriter(function.getContext());
  RewritePatternSet patterns(function.getContext());
  for (RegisteredOperationName op : function.getContext()->getRegisteredOperations())
    if (op.getDialectNamespace() == "tj" || op.getDialectNamespace() == "kernel")
      op.getCanonicalizationPatterns(patterns, function.getContext());
  addMaskBeforePoolGrad(patterns);
  // Not converging is no error: every step is a simplification.
  (void)applyPatternsGreedily(function, std::move(patterns));
  DominanceInfo dominance(function);
  eliminateCommonSubExpressions(rewriter, dominance, function);
}

} // namespace tensorjit
