#include "op/vjp/Gradients.h"

#include "core/Dispatch.h"
#include "op/CreationIds.h"
#include "tensorjit/ops.h"

namespace tensorjit {

Tensor sumTo(const Tensor &g, const TensorType &operand) {
  Tensor result = g;
  if (g.sizes() != operand.sizes) {
    const size_t extra = g.sizes().rank() - operand.sizes.rank();
    Shape dims;
    for (size_t i = 0; i < g.sizes().rank(); ++i)
      if (i < extra || (operand.sizes[i - extra] == 1 && g.sizes()[i] != 1)) dims.push_back(static_cast<int64_t>(i));
    if (!dims.empty()) result = sum(result, dims);
    result = reshape(result, operand.sizes);
  }
  return result.dtype() == operand.dtype ? result : cast(result, operand.dtype);
}

Tensor zerosOf(const TensorType &operand) {
  const auto loc = SourceLocation::current();
  const dispatch::CallScope scope(loc);
  Attrs attrs;
  attrs.addInts(operand.sizes);
  attrs.addScalar(isFloat(operand.dtype) ? Scalar(0.0) : Scalar(0));
  attrs.addDType(operand.dtype);
  TensorBase result;
  dispatch::call(opid::Full, {}, attrs, {&result, 1}, scope.location());
  return result;
}

Tensor expand_reduced(const Tensor &g, const Shape &sizes, const Shape &dims) {
  Shape kept = sizes;
  for (int64_t d : dims) kept[static_cast<size_t>(d)] = 1;
  return broadcast_to(g.sizes() == kept ? g : reshape(g, kept), sizes);
}

Shape inverse_permutation(const Shape &dims) {
  Shape inverse = dims;
  for (size_t i = 0; i < dims.rank(); ++i) inverse[static_cast<size_t>(dims[i])] = static_cast<int64_t>(i);
  return inverse;
}

} // namespace tensorjit
