#include "schedule/Schedule.h"

#include "fuse/FusionSteps.h"
#include "schedule/ScheduleSteps.h"

using namespace mlir;

namespace tensorjit {

void schedule(func::FuncOp function) {
  if (schedule_steps::splitReductions(function)) {
    schedule_steps::sumWhereMade(function);
    // A combination can take in a copy of its result to another order.
    fuse_nests::mergeProducers(function, /*intoContractions=*/false);
  }
  schedule_steps::nameForms(function);
}

} // namespace tensorjit
