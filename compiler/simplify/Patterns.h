#pragma once
/// Patterns over several ops; what concerns one op alone is that op's canonicalizer.
#include "mlir/IR/PatternMatch.h"

namespace tensorjit {

void addMaskBeforePoolGrad(mlir::RewritePatternSet &patterns);

} // namespace tensorjit
