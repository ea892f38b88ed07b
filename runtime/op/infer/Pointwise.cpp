#include "op/infer/Infer.h"

#include "tensorjit/error.h"

namespace tensorjit::infer {

static Shape broadcastAll(const InferCall &c) {
  Shape sizes = c.sizes(0);
  for (size_t i = 1; i < c.operands.size(); ++i) sizes = broadcast(c, sizes, c.sizes(i));
  requireSizes(c, sizes);
  return sizes;
}

void pointwise(const InferCall &c) {
  requireSameDType(c);
  requireDType(c, 0, c.accepted);
  c.results[0] = {c.resultIsBool ? DType::Bool : c.dtype(0), broadcastAll(c)};
}

void select(const InferCall &c) {
  if (c.dtype(0) != DType::Bool) fail<type_error>(c, std::string("a bool condition expected, got ") + name(c.dtype(0)));
  requireSameDType(c, 1);
  requireDType(c, 1, c.accepted);
  c.results[0] = {c.dtype(1), broadcastAll(c)};
}

void cast(const InferCall &c) { c.results[0] = {AttrReader(c.attrs).dtype(), c.sizes(0)}; }

} // namespace tensorjit::infer
