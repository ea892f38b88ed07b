#include "op/vjp/Gradients.h"
#include "tensorjit/ops.h"

namespace tensorjit {

// Linear in the gradient: each window takes what lies at its winner.
void vjpMaxPoolGrad(VjpCall &call) {
  if (!call.needs[0]) return;
  const Tensor &indices = call.saved[0];
  const Shape x = AttrReader(call.attrs).ints();
  const Shape &windows = call.operandTypes[0].sizes;
  auto plane = [](const Shape &s) { return Shape(std::span(s.begin() + 2, s.rank() - 2)).numel(); };
  const int64_t planes = x[0] * x[1];
  const Tensor cells = reshape(call.grads[0], {planes, plane(x)});
  const Tensor at = reshape(indices, {planes, plane(windows)});
  call.result[0] = sumTo(reshape(gather(cells, 1, at), windows), call.operandTypes[0]);
}

} // namespace tensorjit
