#include "core/ViewChain.h"
#include "core/Dispatch.h"
#include "op/ShapeIds.h"

namespace tensorjit {

static TensorBase callView(OpId op, const TensorBase &x, const Attrs &attrs) {
  const TensorBase *operand = &x;
  TensorBase result;
  dispatch::CallScope scope(SourceLocation::current());
  dispatch::call(op, {&operand, 1}, attrs, {&result, 1}, scope.location());
  return result;
}

static TensorBase callView(OpId op, const TensorBase &x, const Shape &sizesOrDims) {
  Attrs attrs;
  attrs.addInts(sizesOrDims);
  return callView(op, x, attrs);
}

TensorBase permuted(const TensorBase &x, const Shape &dims) { return callView(opid::Permute, x, dims); }

TensorBase applyView(const TensorBase &base, const ViewStep *steps) {
  if (!steps) return base;
  return callView(steps->op, applyView(base, steps->parent.get()), steps->attrs);
}

/// `before` with the part that `step` selects replaced by `value`.
static TensorBase undoStep(const TensorBase &before, const ViewStep &step, const TensorBase &value) {
  switch (step.op) {
  case opid::Permute: {
    const Shape dims = AttrReader(step.attrs).ints();
    Shape inverse = dims;
    for (size_t i = 0; i < dims.rank(); ++i) inverse[static_cast<size_t>(dims[i])] = static_cast<int64_t>(i);
    return permuted(value, inverse);
  }
  case opid::Slice: {
    // The step's own bounds, as they stand: -1 as the end of a backward slice does not mean the last position.
    const TensorBase *operands[] = {&before, &value};
    TensorBase result;
    dispatch::CallScope scope(SourceLocation::current());
    dispatch::call(opid::SliceScatter, operands, step.attrs, {&result, 1}, scope.location());
    return result;
  }
  default: // a reshape, or a broadcast that repeats nothing: it may also leave nothing
    if (value.numel() != before.numel()) return before;
    return callView(opid::Reshape, value, before.sizes());
  }
}

TensorBase writeThrough(const TensorBase &base, const ViewStep *steps, const TensorBase &value) {
  if (!steps) return value;
  const TensorBase before = applyView(base, steps->parent.get());
  return writeThrough(base, steps->parent.get(), undoStep(before, *steps, value));
}

} // namespace tensorjit
