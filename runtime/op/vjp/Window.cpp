#include "op/vjp/Gradients.h"
#include "tensorjit/ops.h"

namespace tensorjit {

// Linear in the gradient: each window takes what lies at its winner.
void vjpMaxPool2dGrad(VjpCall &call) {
  if (!call.needs[0]) return;
  const Tensor &indices = call.saved[0];
  const Shape x = AttrReader(call.attrs).ints();
  const Shape &windows = call.operandTypes[0].sizes;
  const int64_t planes = x[0] * x[1];
  const Tensor cells = reshape(call.grads[0], {planes, x[2] * x[3]});
  const Tensor at = reshape(indices, {planes, windows[2] * windows[3]});
  call.result[0] = sumTo(reshape(gather(cells, 1, at), windows), call.operandTypes[0]);
}

} // namespace tensorjit
