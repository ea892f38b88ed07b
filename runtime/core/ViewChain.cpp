#include "core/ViewChain.h"
#include "core/Dispatch.h"
#include "op/OpId.h"
#include "tensorjit/ops.h"

namespace tensorjit {

static Tensor applyStep(const Tensor &x, const ViewStep &step) {
  const Tensor *operand = &x;
  Tensor result;
  dispatch::CallScope scope(SourceLocation::current());
  dispatch::call(step.op, {&operand, 1}, step.attrs, {&result, 1}, scope.location());
  return result;
}

Tensor applyView(const Tensor &base, const ViewStep *steps) {
  if (!steps) return base;
  return applyStep(applyView(base, steps->parent.get()), *steps);
}

/// `before` with the part that `step` selects replaced by `value`.
static Tensor undoStep(const Tensor &before, const ViewStep &step, const Tensor &value) {
  switch (step.op) {
  case OpId::Permute: {
    const Shape dims = AttrReader(step.attrs).ints();
    Shape inverse = dims;
    for (size_t i = 0; i < dims.rank(); ++i) inverse[static_cast<size_t>(dims[i])] = static_cast<int64_t>(i);
    return permute(value, inverse);
  }
  case OpId::Slice: {
    // The step's own bounds, as they stand: -1 as the end of a backward slice does not mean the last position.
    const Tensor *operands[] = {&before, &value};
    Tensor result;
    dispatch::CallScope scope(SourceLocation::current());
    dispatch::call(OpId::SliceScatter, operands, step.attrs, {&result, 1}, scope.location());
    return result;
  }
  default: return reshape(value, before.sizes()); // also a broadcast that repeats nothing
  }
}

Tensor writeThrough(const Tensor &base, const ViewStep *steps, const Tensor &value) {
  if (!steps) return value;
  const Tensor before = applyView(base, steps->parent.get());
  return writeThrough(base, steps->parent.get(), undoStep(before, *steps, value));
}

} // namespace tensorjit
