#include "fuse/FusionSteps.h"
#include "fuse/InlineProducer.h"
#include "fuse/MergeRules.h"

#include "llvm/ADT/SetVector.h"

namespace tensorjit::fuse_nests {

std::vector<std::string> explainFusion(func::FuncOp function) {
  std::vector<std::string> notes;
  for (auto consumer : function.getBody().front().getOps<NestOp>()) {
    llvm::SmallSetVector<NestOp, 4> producers;
    for (Value input : consumer.getInputs())
      if (auto producer = input.getDefiningOp<NestOp>()) producers.insert(producer);
    for (NestOp producer : producers) {
      DimMatch match;
      std::string merged = whyNotMerged(producer, consumer, match), inlined = whyNotInlined(producer, consumer);
      if (inlined.empty())
        inlined = "not every reader of the value can compute it, or it costs too much to do so twice";
      notes.push_back(
          (producer.getSymName() + " and " + consumer.getSymName() + " are two kernels: " + merged + "; " + inlined)
              .str());
    }
  }
  return notes;
}

} // namespace tensorjit::fuse_nests
