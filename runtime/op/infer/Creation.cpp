#include "op/infer/Infer.h"

#include "tensorjit/error.h"

namespace tensorjit::infer {

void full(const InferCall &c) {
  AttrReader attrs(c.attrs);
  const Shape sizes = attrs.ints();
  attrs.scalar();
  requireSizes(c, sizes);
  c.results[0] = {attrs.dtype(), sizes};
}

void iota(const InferCall &c) {
  AttrReader attrs(c.attrs);
  const Shape sizes = attrs.ints();
  const int64_t dim = attrs.integer();
  const DType type = attrs.dtype();
  requireSizes(c, sizes);
  if (dim < 0 || static_cast<size_t>(dim) >= sizes.rank())
    fail<index_error>(c, "dim " + std::to_string(dim) + " is out of range for " + sizes.str());
  if (!dtypes::index.contains(type)) fail<type_error>(c, std::string("i64 or i32 expected, got ") + name(type));
  c.results[0] = {type, sizes};
}

} // namespace tensorjit::infer
