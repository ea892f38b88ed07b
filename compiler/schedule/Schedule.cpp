#include "schedule/Schedule.h"

#include "schedule/ScheduleSteps.h"

using namespace mlir;

namespace tensorjit {

void schedule(func::FuncOp function) {
  schedule_steps::splitReductions(function);
  schedule_steps::nameForms(function);
}

} // namespace tensorjit
