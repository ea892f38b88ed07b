#include "layout/ContractionOperands.h"
#include "nest/NestParts.h"
#include "schedule/ScheduleSteps.h"

namespace tensorjit::schedule_steps {

using kernel::NestOp;

// The reduction dim that is last in the memory of an input that depends on reduction dims.
static bool reducesContiguously(NestOp nest) {
  for (unsigned i = 0; i < nest.getNumInputs(); ++i) {
    AffineMap map = nest.getInputMap(i);
    if (map.getNumResults() == 0) continue;
    for (unsigned dim : nest.getReductionDims())
      if (nest.getSize(dim) > 1 && map.getResults().back().isFunctionOfDim(dim)) return true;
  }
  return false;
}

static StringRef formOf(NestOp nest) {
  if (!nest.hasReductionDims()) return "pointwise";
  if (layout::contractionOperands(nest)) return "contraction";
  if (reducesContiguously(nest)) return "row_reduction";
  int64_t reduced = 1;
  for (unsigned dim : nest.getReductionDims()) reduced *= nest.getSize(dim);
  return reduced <= 64 ? "window" : "column_reduction";
}

void nameForms(func::FuncOp function) {
  function.walk([](NestOp nest) { nest.setSchedule(formOf(nest)); });
}

} // namespace tensorjit::schedule_steps
