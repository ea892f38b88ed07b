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

/// Sizes and dtype are given; the state of the generator is two i64 of no dims.
static void random(const InferCall &c, DTypeSet accepted) {
  AttrReader attrs(c.attrs);
  const Shape sizes = attrs.ints();
  const DType type = attrs.dtype();
  for (const TensorType &state : c.operands)
    if (state.dtype != DType::I64 || state.sizes.rank() != 0)
      fail<type_error>(c,
                       std::string("seed and offset are i64 of no dims, got ") + name(state.dtype) + state.sizes.str());
  requireSizes(c, sizes);
  if (!accepted.contains(type)) fail<type_error>(c, std::string(accepted.text) + " expected, got " + name(type));
  c.results[0] = {type, sizes};
}

void randomBits(const InferCall &c) { random(c, dtypes::index); }

void randomNormal(const InferCall &c) { random(c, {dtypes::bit(DType::F32) | dtypes::bit(DType::F64), "f32 or f64"}); }

} // namespace tensorjit::infer
