#include "schedule/Schedule.h"

#include "fuse/FusionSteps.h"
#include "schedule/ScheduleSteps.h"

using namespace mlir;

namespace tensorjit {

void schedule(func::FuncOp function, int64_t multiprocessors) {
  if (schedule_steps::splitReductions(function, multiprocessors)) {
    schedule_steps::sumWhereMade(function);
    // A combination can take in a copy of its result to another order.
    fuse_nests::mergeProducers(function, /*intoContractions=*/false);
  }
  schedule_steps::nameForms(function);
}

} // namespace tensorjit
