#include "lower/ScalarBodies.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace tensorjit {

namespace {
#include "lower/Optimizer.inc"
#include "lower/Pointwise.inc"
} // namespace

const ScalarBody *scalarBodyOf(StringRef mnemonic) {
  static const llvm::StringMap<const ScalarBody *> table = [] {
    llvm::StringMap<const ScalarBody *> entries;
    for (const ScalarBody &body : bodiesOfPointwise) entries[body.mnemonic] = &body;
    for (const ScalarBody &body : bodiesOfOptimizer) entries[body.mnemonic] = &body;
    return entries;
  }();
  return table.lookup(mnemonic);
}

} // namespace tensorjit
