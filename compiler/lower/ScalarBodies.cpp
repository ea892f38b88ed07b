#include "lower/ScalarBodies.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace tensorjit {

namespace {
#include "lower/AllScalarFamilies.inc"
} // namespace

const ScalarBody *scalarBodyOf(StringRef mnemonic) {
  static const llvm::StringMap<const ScalarBody *> table = [] {
    llvm::StringMap<const ScalarBody *> entries;
#define TENSORJIT_FAMILY(Family)                                                                                       \
  for (const ScalarBody &body : bodiesOf##Family) entries[body.mnemonic] = &body;
#include "op/ScalarFamilies.inc"
#undef TENSORJIT_FAMILY
    return entries;
  }();
  return table.lookup(mnemonic);
}

} // namespace tensorjit
