#include "op/infer/Infer.h"

#include "tensorjit/error.h"

#include <algorithm>

namespace tensorjit::infer {

void requireDType(const InferCall &c, size_t i, DTypeSet accepted) {
  if (!accepted.contains(c.dtype(i)))
    fail<type_error>(c, std::string("expected ") + accepted.text + ", got " + name(c.dtype(i)));
}

void requireSameDType(const InferCall &c, size_t first) {
  for (size_t i = first + 1; i < c.operands.size(); ++i)
    if (c.dtype(i) != c.dtype(first))
      fail<type_error>(c, std::string("operands of one dtype expected, got ") + name(c.dtype(first)) + " and " +
                              name(c.dtype(i)));
}

void requireRank(const InferCall &c, size_t i, size_t rank, const char *what) {
  if (c.sizes(i).rank() != rank)
    fail<shape_error>(c, std::string(what) + " of rank " + std::to_string(rank) + " expected, got " + c.sizes(i).str());
}

Shape broadcast(const InferCall &c, const Shape &a, const Shape &b) {
  Shape result = a.rank() >= b.rank() ? a : b;
  const Shape &shorter = a.rank() >= b.rank() ? b : a;
  const size_t offset = result.rank() - shorter.rank();
  for (size_t i = 0; i < shorter.rank(); ++i) {
    int64_t &d = result[i + offset];
    if (d == shorter[i] || shorter[i] == 1) continue;
    if (d != 1)
      fail<shape_error>(c, "cannot broadcast " + a.str() + " with " + b.str() + ": sizes " + std::to_string(d) +
                               " and " + std::to_string(shorter[i]) + " are neither equal nor 1");
    d = shorter[i];
  }
  return result;
}

void requireSizes(const InferCall &c, const Shape &sizes) {
  for (int64_t d : sizes)
    if (d < 0) fail<shape_error>(c, "negative size in " + sizes.str());
  (void)sizes.numel();
}

} // namespace tensorjit::infer
