#include "autograd/PassMemory.h"
#include "core/ThreadObject.h"

#include <memory>

namespace tensorjit::autograd {

namespace {
struct Spare : std::unique_ptr<PassMemory> {};
} // namespace

void PassMemory::clear() {
  nodes.clear();
  leafIndex.clear();
  firstGradient.clear();
  gradients.clear();
  queue.clear();
  leaves.clear();
  taken.clear();
  step.result.clear();
  step.saved.clear();
}

PassMemoryUse::PassMemoryUse() {
  Spare &spare = ThreadObject<Spare, PassMemory>::get();
  memory_ = spare ? spare.release() : new PassMemory;
}

PassMemoryUse::~PassMemoryUse() {
  memory_->clear();
  ThreadObject<Spare, PassMemory>::get().reset(memory_);
}

} // namespace tensorjit::autograd
