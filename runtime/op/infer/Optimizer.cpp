#include "op/infer/Infer.h"

#include "tensorjit/error.h"

namespace tensorjit::infer {

/// The first operands are the parameter, its gradient and its states, all of one size; the rest are 0-d numbers, and
/// flags. States and numbers are of the dtype in which the parameter's computes. Each result replaces the parameter or
/// a state.
void update(const InferCall &c) {
  requireDType(c, 0, c.accepted);
  const size_t tensors = c.results.size() + 1;
  for (size_t i = 1; i < c.operands.size(); ++i) {
    const Shape expected = i < tensors ? c.sizes(0) : Shape();
    if (c.sizes(i) != expected)
      fail<shape_error>(c, "operand " + std::to_string(i) + " of " + expected.str() + " expected beside a parameter " +
                               c.sizes(0).str() + ", got " + c.sizes(i).str());
    const DType type = i == 1 ? c.dtype(0) : computeType(c.dtype(0));
    if (c.dtype(i) != type && !(i >= tensors && c.dtype(i) == DType::Bool))
      fail<type_error>(c, std::string("operand ") + std::to_string(i) + " of " + name(type) + " expected, got " +
                              name(c.dtype(i)));
  }
  for (size_t k = 0; k < c.results.size(); ++k) c.results[k] = c.operands[k == 0 ? 0 : k + 1];
}

} // namespace tensorjit::infer
