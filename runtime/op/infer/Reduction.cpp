#include "op/infer/Infer.h"

#include "tensorjit/error.h"

namespace tensorjit::infer {

namespace {
struct Reduced {
  Shape sizes;
  Shape dims;
};
} // namespace

static Reduced reducedSizes(const InferCall &c) {
  AttrReader attrs(c.attrs);
  const Shape dims = attrs.ints();
  const bool keepdim = attrs.boolean();
  const Shape &from = c.sizes(0);
  Reduced r{{}, dims};
  size_t next = 0;
  for (size_t i = 0; i < from.rank(); ++i) {
    const bool reduced = next < dims.rank() && dims[next] == static_cast<int64_t>(i);
    if (!reduced) r.sizes.push_back(from[i]);
    else {
      ++next;
      if (keepdim) r.sizes.push_back(1);
    }
  }
  if (next != dims.rank()) fail<shape_error>(c, "dims " + dims.str() + " are not ascending dims of " + from.str());
  return r;
}

void reduce(const InferCall &c) {
  requireDType(c, 0, c.accepted);
  c.results[0] = {c.dtype(0), reducedSizes(c).sizes};
}

static void refuseEmpty(const InferCall &c, const Shape &dims) {
  for (int64_t d : dims)
    if (c.sizes(0)[static_cast<size_t>(d)] == 0)
      fail<shape_error>(c, "no elements along dim " + std::to_string(d) + " of " + c.sizes(0).str());
}

void reduceExtreme(const InferCall &c) {
  requireDType(c, 0, c.accepted);
  const Reduced r = reducedSizes(c);
  refuseEmpty(c, r.dims);
  c.results[0] = {c.dtype(0), r.sizes};
}

void reduceToBool(const InferCall &c) { c.results[0] = {DType::Bool, reducedSizes(c).sizes}; }

void argReduce(const InferCall &c) {
  const Reduced r = reducedSizes(c);
  if (r.dims.rank() > 1 && r.dims.rank() != c.sizes(0).rank())
    fail<shape_error>(c, "one dim or all dims expected, got " + r.dims.str());
  refuseEmpty(c, r.dims);
  c.results[0] = {DType::I64, r.sizes};
}

} // namespace tensorjit::infer
