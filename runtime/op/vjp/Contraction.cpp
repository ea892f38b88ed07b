#include "op/vjp/Gradients.h"
#include "tensorjit/ops.h"

namespace tensorjit {

void vjpLinear(VjpCall &call) {
  const Tensor &x = call.saved[0], &w = call.saved[1];
  const Shape &sizes = call.operandTypes[0].sizes;
  const int64_t in = w.size(1), out = w.size(0);
  Shape batch;
  for (size_t i = 0; i + 1 < sizes.rank(); ++i) batch.push_back(sizes[i]);
  const int64_t rows = batch.numel();
  const Tensor g = sizes.rank() == 2 ? call.grads[0] : reshape(call.grads[0], {rows, out});
  if (call.needs[0]) call.result[0] = sumTo(reshape(matmul(g, w), sizes), call.operandTypes[0]);
  if (call.needs[1]) {
    const Tensor flat = sizes.rank() == 2 ? x : reshape(x, {rows, in});
    call.result[1] = sumTo(matmul(t(g), flat), call.operandTypes[1]);
  }
  if (call.needs.size() > 2 && call.needs[2]) call.result[2] = sumTo(sum(g, 0), call.operandTypes[2]);
}

} // namespace tensorjit
