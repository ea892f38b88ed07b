#include "core/Dispatch.h"
#include "op/ShapeIds.h"
#include "op/vjp/Gradients.h"
#include "tensorjit/ops.h"

namespace tensorjit {

/// A call of `slice` or `slice_scatter` with the attributes of the op that is differentiated: their ranges are
/// canonical.
static Tensor sliced(OpId op, std::initializer_list<const TensorBase *> operands, const Attrs &attrs) {
  const dispatch::CallScope scope(SourceLocation::current());
  TensorBase result;
  dispatch::call(op, {operands.begin(), operands.size()}, attrs, {&result, 1}, scope.location());
  return result;
}

void vjpSlice(VjpCall &call) {
  if (!call.needs[0]) return;
  const Tensor zeros = zerosOf({call.grads[0].dtype(), call.operandTypes[0].sizes});
  call.result[0] = sumTo(sliced(opid::SliceScatter, {&zeros, &call.grads[0]}, call.attrs), call.operandTypes[0]);
}

void vjpSliceScatter(VjpCall &call) {
  const Tensor &g = call.grads[0];
  if (call.needs[0]) {
    const Tensor zeros = zerosOf({g.dtype(), call.operandTypes[1].sizes});
    call.result[0] = sumTo(sliced(opid::SliceScatter, {&g, &zeros}, call.attrs), call.operandTypes[0]);
  }
  if (call.needs[1]) call.result[1] = sumTo(sliced(opid::Slice, {&g}, call.attrs), call.operandTypes[1]);
}

} // namespace tensorjit
