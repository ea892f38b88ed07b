#include "schedule/Schedule.h"

#include "fuse/FusionSteps.h"
#include "schedule/ScheduleSteps.h"

using namespace mlir;

namespace tensorjit {

void schedule(func::FuncOp function) {
  // A combination can take in a copy of its result to another order.
  if (schedule_steps::splitReductions(function)) fuse_nests::mergeProducers(function);
  schedule_steps::nameForms(function);
}

} // namespace tensorjit
