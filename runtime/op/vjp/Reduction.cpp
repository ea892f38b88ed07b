#include "op/vjp/Gradients.h"
#include "tensorjit/ops.h"

#include <algorithm>

namespace tensorjit {

void vjpMean(VjpCall &call) {
  if (!call.needs[0]) return;
  const Shape &sizes = call.operandTypes[0].sizes, dims = AttrReader(call.attrs).ints();
  Shape reduced;
  for (int64_t d : dims) reduced.push_back(sizes[static_cast<size_t>(d)]);
  const auto count = static_cast<double>(reduced.numel());
  call.result[0] = sumTo(expand_reduced(div(call.grads[0], count), sizes, dims), call.operandTypes[0]);
}

/// All of the gradient goes to the first extreme element: its position, found again from the saved operand, is exact.
static void vjpExtreme(VjpCall &call,
                       Tensor (*position)(const Tensor &, std::optional<int64_t>, bool, SourceLocation)) {
  if (!call.needs[0]) return;
  const Shape &sizes = call.operandTypes[0].sizes, dims = AttrReader(call.attrs).ints();
  Shape order, kept, reduced;
  size_t next = 0;
  for (size_t i = 0; i < sizes.rank(); ++i) {
    if (next < dims.rank() && dims[next] == static_cast<int64_t>(i)) {
      reduced.push_back(sizes[i]);
      ++next;
      continue;
    }
    order.push_back(static_cast<int64_t>(i));
    kept.push_back(sizes[i]);
  }
  for (int64_t d : dims) order.push_back(d);

  // Reduced dims last and merged, the winner marked by comparing with its position, then back.
  const int64_t outer = kept.numel(), inner = reduced.numel();
  const Tensor x = reshape(permute(call.saved[0], order), {outer, inner});
  const Tensor first = position(x, 1, true, SourceLocation::current());
  const Tensor mark = eq(iota({1, inner}, 1, DType::I64), first);
  const Tensor g = where(mark, reshape(call.grads[0], {outer, 1}), 0);
  Shape permuted = kept;
  for (int64_t s : reduced) permuted.push_back(s);
  call.result[0] = sumTo(permute(reshape(g, permuted), inverse_permutation(order)), call.operandTypes[0]);
}

// g times the product of the others: those before and those after, each a product of its own, so that zeros need no
// division. A row of k elements takes k * k products; the op is meant for short rows.
void vjpReduceProd(VjpCall &call) {
  if (!call.needs[0]) return;
  const Shape &sizes = call.operandTypes[0].sizes, dims = AttrReader(call.attrs).ints();
  Shape order, kept, reduced;
  for (size_t i = 0; i < sizes.rank(); ++i) {
    const auto d = static_cast<int64_t>(i);
    if (std::find(dims.begin(), dims.end(), d) != dims.end()) continue;
    order.push_back(d);
    kept.push_back(sizes[i]);
  }
  for (int64_t d : dims) {
    order.push_back(d);
    reduced.push_back(sizes[static_cast<size_t>(d)]);
  }
  const int64_t outer = kept.numel(), inner = reduced.numel();
  const Tensor x = reshape(permute(call.saved[0], order), {outer, 1, inner});
  const Tensor self = eq(iota({inner, 1}, 0, DType::I64), iota({1, inner}, 1, DType::I64));
  const Tensor others = prod(where(self, 1, x), 2);
  const Tensor g = mul(others, reshape(call.grads[0], {outer, 1}));
  Shape permuted = kept;
  for (int64_t s : reduced) permuted.push_back(s);
  call.result[0] = sumTo(permute(reshape(g, permuted), inverse_permutation(order)), call.operandTypes[0]);
}

void vjpReduceMax(VjpCall &call) { vjpExtreme(call, argmax); }
void vjpReduceMin(VjpCall &call) { vjpExtreme(call, argmin); }

} // namespace tensorjit
