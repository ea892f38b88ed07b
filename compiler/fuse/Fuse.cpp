#include "fuse/Fuse.h"

#include "fuse/FusionSteps.h"

using namespace mlir;

namespace tensorjit {

using namespace fuse_nests;

void fuse(func::FuncOp function, CompileReport *report) {
  removeUnitReductions(function);
  absorbViews(function);
  readArgumentsAsTheyLie(function);
  removeDead(function);
  // Merging first: it computes every value once. What cannot be merged may still be inlined, which makes new pairs.
  bool changed = true;
  while (changed) {
    changed = mergeProducers(function);
    changed |= inlineProducers(function);
    changed |= removeDead(function);
  }
  mergeSiblings(function);
  if (report)
    for (std::string &note : explainFusion(function)) report->fusionNotes.push_back(std::move(note));
}

} // namespace tensorjit
