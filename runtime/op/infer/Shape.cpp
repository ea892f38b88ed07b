#include "op/infer/Infer.h"

#include "tensorjit/error.h"

namespace tensorjit::infer {

void reshape(const InferCall &c) {
  const Shape sizes = AttrReader(c.attrs).ints();
  requireSizes(c, sizes);
  if (sizes.numel() != c.sizes(0).numel())
    fail<shape_error>(c, c.sizes(0).str() + " has " + std::to_string(c.sizes(0).numel()) + " elements, " + sizes.str() +
                             " has " + std::to_string(sizes.numel()));
  c.results[0] = {c.dtype(0), sizes};
}

void permute(const InferCall &c) {
  const Shape dims = AttrReader(c.attrs).ints(), &from = c.sizes(0);
  Shape sizes;
  uint32_t seen = 0; // bit d
  for (int64_t d : dims) {
    if (d < 0 || static_cast<size_t>(d) >= from.rank() || (seen >> d & 1))
      fail<shape_error>(c, "dims " + dims.str() + " are not each dim of " + from.str() + " once");
    seen |= 1u << d;
    sizes.push_back(from[static_cast<size_t>(d)]);
  }
  if (dims.rank() != from.rank())
    fail<shape_error>(c, "dims " + dims.str() + " are not each dim of " + from.str() + " once");
  c.results[0] = {c.dtype(0), sizes};
}

void broadcastTo(const InferCall &c) {
  const Shape sizes = AttrReader(c.attrs).ints(), &from = c.sizes(0);
  requireSizes(c, sizes);
  if (sizes.rank() < from.rank())
    fail<shape_error>(c, "cannot broadcast " + from.str() + " to " + sizes.str() + ": fewer dims");
  const size_t offset = sizes.rank() - from.rank();
  for (size_t i = 0; i < from.rank(); ++i)
    if (from[i] != 1 && from[i] != sizes[i + offset])
      fail<shape_error>(c, "cannot broadcast " + from.str() + " to " + sizes.str() + ": size " +
                               std::to_string(from[i]) + " is neither 1 nor " + std::to_string(sizes[i + offset]));
  c.results[0] = {c.dtype(0), sizes};
}

static Shape sliceSizes(const InferCall &c) {
  AttrReader attrs(c.attrs);
  const int64_t dim = attrs.integer(), start = attrs.integer(), stop = attrs.integer(), step = attrs.integer();
  Shape sizes = c.sizes(0);
  if (dim < 0 || static_cast<size_t>(dim) >= sizes.rank())
    fail<index_error>(c, "dim " + std::to_string(dim) + " is out of range for " + sizes.str());
  if (step == 0) fail<value_error>(c, "step must not be 0");
  int64_t &size = sizes[static_cast<size_t>(dim)];
  const int64_t lowest = step > 0 ? 0 : -1, highest = step > 0 ? size : size - 1;
  if (start < lowest || start > highest || stop < lowest || stop > highest)
    fail<index_error>(c, "bounds " + std::to_string(start) + " and " + std::to_string(stop) + " lie outside size " +
                             std::to_string(size));
  const bool any = step > 0 ? stop > start : start > stop;
  const auto distance = static_cast<uint64_t>(step > 0 ? stop - start : start - stop);
  const uint64_t stride = step > 0 ? static_cast<uint64_t>(step) : 0 - static_cast<uint64_t>(step);
  size = any ? static_cast<int64_t>((distance - 1) / stride + 1) : 0;
  return sizes;
}

void slice(const InferCall &c) { c.results[0] = {c.dtype(0), sliceSizes(c)}; }

void sliceScatter(const InferCall &c) {
  requireSameDType(c);
  const Shape window = sliceSizes(c);
  if (c.sizes(1) != window)
    fail<shape_error>(c, "the slice of " + c.sizes(0).str() + " is " + window.str() + ", got " + c.sizes(1).str());
  c.results[0] = c.operands[0];
}

void bitcast(const InferCall &c) {
  const DType type = AttrReader(c.attrs).dtype();
  const auto from = static_cast<int64_t>(itemSize(c.dtype(0))), to = static_cast<int64_t>(itemSize(type));
  Shape sizes = c.sizes(0);
  if (from != to) {
    if (sizes.empty() || sizes.back() * from % to != 0)
      fail<shape_error>(c, "the last dim of " + sizes.str() + " does not hold a whole number of " + name(type) +
                               " elements (" + name(c.dtype(0)) + " is read)");
    sizes[sizes.rank() - 1] = sizes.back() * from / to;
    requireSizes(c, sizes);
  }
  c.results[0] = {type, sizes};
}

} // namespace tensorjit::infer
