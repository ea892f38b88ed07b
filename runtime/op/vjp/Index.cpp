#include "op/vjp/Gradients.h"
#include "tensorjit/ops.h"

#include <algorithm>

namespace tensorjit {

static int64_t dimOf(const VjpCall &call) { return AttrReader(call.attrs).integer(); }

/// `x` in the corner of zeros of `sizes`.
static Tensor inCorner(Tensor x, const Shape &sizes) {
  for (size_t d = 0; d < sizes.rank(); ++d) {
    if (x.sizes()[d] == sizes[d]) continue;
    Shape grown = x.sizes();
    grown[d] = sizes[d];
    x = slice_scatter(zerosOf({x.dtype(), grown}), x, static_cast<int64_t>(d), 0, x.sizes()[d]);
  }
  return x;
}

void vjpGather(VjpCall &call) {
  if (!call.needs[0]) return;
  const Tensor zeros = zerosOf({call.grads[0].dtype(), call.operandTypes[0].sizes});
  call.result[0] = sumTo(scatter_add(zeros, dimOf(call), call.saved[0], call.grads[0]), call.operandTypes[0]);
}

void vjpScatterAdd(VjpCall &call) {
  const Tensor &g = call.grads[0], &index = call.saved[0];
  if (call.needs[0]) call.result[0] = sumTo(g, call.operandTypes[0]);
  if (call.needs[2])
    call.result[2] = sumTo(inCorner(gather(g, dimOf(call), index), call.operandTypes[2].sizes), call.operandTypes[2]);
}

/// 0, 1, ... as a tensor of `sizes`: the places of a list of positions.
static Tensor placesOf(const Shape &sizes) {
  const int64_t count = sizes.numel();
  return reshape(iota({std::max<int64_t>(count, 1)}, 0, DType::I64).slice(0, 0, count), sizes);
}

static Tensor nowhere(const Shape &sizes) { return sub(zerosOf({DType::I64, sizes}), 1); }

/// The gradients of x and src where `writer` has, for each element of x, the place that it was written from, or -1.
static void toWriters(VjpCall &call, const Tensor &index, const Tensor &writer) {
  const Tensor &g = call.grads[0];
  const int64_t dim = dimOf(call);
  if (call.needs[0]) call.result[0] = sumTo(where(lt(writer, 0), g, 0), call.operandTypes[0]);
  if (call.needs[2]) {
    const Tensor won = eq(gather(writer, dim, index), placesOf(index.sizes()));
    const Tensor mine = where(won, gather(g, dim, index), 0);
    call.result[2] = sumTo(inCorner(mine, call.operandTypes[2].sizes), call.operandTypes[2]);
  }
}

// Writing the places themselves tells which of them is left.
void vjpScatter(VjpCall &call) {
  const Tensor &index = call.saved[0];
  toWriters(call, index, scatter(nowhere(call.operandTypes[0].sizes), dimOf(call), index, placesOf(index.sizes())));
}

void vjpScatterExtreme(VjpCall &call) { toWriters(call, call.saved[0], call.saved[1]); }

void vjpIndexSelect(VjpCall &call) {
  if (!call.needs[0]) return;
  const Tensor zeros = zerosOf({call.grads[0].dtype(), call.operandTypes[0].sizes});
  call.result[0] = sumTo(index_add(zeros, dimOf(call), call.saved[0], call.grads[0]), call.operandTypes[0]);
}

void vjpIndexAdd(VjpCall &call) {
  const Tensor &g = call.grads[0];
  if (call.needs[0]) call.result[0] = sumTo(g, call.operandTypes[0]);
  if (call.needs[2]) call.result[2] = sumTo(index_select(g, dimOf(call), call.saved[0]), call.operandTypes[2]);
}

void vjpIndexCopy(VjpCall &call) {
  const Tensor &g = call.grads[0], &index = call.saved[0];
  const int64_t dim = dimOf(call);
  const Shape &sizes = call.operandTypes[0].sizes;
  // A list of rows, laid along `dim`.
  auto along = [&](const Tensor &rows) {
    Shape shape;
    for (size_t d = 0; d < sizes.rank(); ++d) shape.push_back(static_cast<int64_t>(d) == dim ? rows.numel() : 1);
    return reshape(rows, shape);
  };
  const Tensor places = placesOf(index.sizes());
  const Tensor writer = index_copy(nowhere({sizes[static_cast<size_t>(dim)]}), 0, index, places);
  if (call.needs[0]) call.result[0] = sumTo(where(along(lt(writer, 0)), g, 0), call.operandTypes[0]);
  if (call.needs[2]) {
    const Tensor won = along(eq(index_select(writer, 0, index), places));
    call.result[2] = sumTo(where(won, index_select(g, dim, index), 0), call.operandTypes[2]);
  }
}

void vjpConcat(VjpCall &call) {
  const int64_t dim = dimOf(call), first = call.operandTypes[0].sizes[static_cast<size_t>(dim)];
  const int64_t second = call.operandTypes[1].sizes[static_cast<size_t>(dim)];
  if (call.needs[0]) call.result[0] = sumTo(narrow(call.grads[0], dim, 0, first), call.operandTypes[0]);
  if (call.needs[1]) call.result[1] = sumTo(narrow(call.grads[0], dim, first, second), call.operandTypes[1]);
}

} // namespace tensorjit
