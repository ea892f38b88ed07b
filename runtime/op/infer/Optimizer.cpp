#include "op/infer/Infer.h"

#include "tensorjit/error.h"

namespace tensorjit::infer {

/// The first operands are the parameter, its gradient and its states, all of one size; the rest are 0-d numbers of the
/// parameter's dtype, and flags. Each result replaces one of the former.
void update(const InferCall &c) {
  requireDType(c, 0, c.accepted);
  const size_t tensors = c.results.size() + 1;
  for (size_t i = 1; i < c.operands.size(); ++i) {
    const Shape expected = i < tensors ? c.sizes(0) : Shape();
    if (c.sizes(i) != expected)
      fail<shape_error>(c, "operand " + std::to_string(i) + " of " + expected.str() + " expected beside a parameter " +
                               c.sizes(0).str() + ", got " + c.sizes(i).str());
    if (c.dtype(i) != c.dtype(0) && !(i >= tensors && c.dtype(i) == DType::Bool))
      fail<type_error>(c, std::string("operand ") + std::to_string(i) + " of " + name(c.dtype(0)) + " expected, got " +
                              name(c.dtype(i)));
  }
  for (TensorType &r : c.results) r = c.operands[0];
}

} // namespace tensorjit::infer
