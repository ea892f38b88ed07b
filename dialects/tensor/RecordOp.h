#pragma once
/// The ops of the `tj` dialect, made from the op records at run time: every op has the same class here, which asks the
/// record (`OpInfo`) what its operands, attributes and results are.
#include "op/OpInfo.h"
#include "tensor/TJ.h"

#include "mlir/IR/PatternMatch.h"

namespace tensorjit::tj {

/// What a folder may do is OperationName::foldHook's contract: return a value that replaces the op's result, return
/// that result after a change in place, or nothing.
using Fold = mlir::OpFoldResult (*)(mlir::Operation *op);

/// What the dialect knows of an op besides its record.
struct Rewrites {
  OpId op;
  Fold fold = nullptr;
  void (*addPatterns)(mlir::RewritePatternSet &patterns) = nullptr;
};
llvm::ArrayRef<Rewrites> pointwiseRewrites();
llvm::ArrayRef<Rewrites> viewRewrites();

/// Registers an op for each record.
void registerRecordOps(TJDialect &dialect);

} // namespace tensorjit::tj
