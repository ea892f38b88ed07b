#pragma once
#include "lower/ScalarBuilder.h"

#include "mlir/IR/ValueRange.h"

namespace tensorjit {

/// The scalar expressions of a pointwise op's record: one value for each result.
struct ScalarBody {
  const char *mnemonic;
  llvm::SmallVector<Value> (*build)(ScalarBuilder &builder, mlir::ValueRange operands);
};

/// Null where the op's record has no expressions.
const ScalarBody *scalarBodyOf(llvm::StringRef mnemonic);

} // namespace tensorjit
