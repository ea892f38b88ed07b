// Ops that work along one dim and keep the others: scans, sorting, searching.
#include "op/infer/Infer.h"

#include "tensorjit/error.h"

#include <algorithm>

namespace tensorjit::infer {

/// The dim; 0-d tensors have one of size 1.
static size_t checkedDim(const InferCall &c, int64_t dim) {
  if (dim < 0 || static_cast<size_t>(dim) >= std::max<size_t>(1, c.sizes(0).rank()))
    fail<index_error>(c, "dim " + std::to_string(dim) + " is out of range for " + c.sizes(0).str());
  return static_cast<size_t>(dim);
}

/// A second result is the position of each element of the first.
void scan(const InferCall &c) {
  requireDType(c, 0, c.accepted);
  checkedDim(c, AttrReader(c.attrs).integer());
  c.results[0] = c.operands[0];
  if (c.results.size() > 1) c.results[1] = {DType::I64, c.sizes(0)};
}

void scanAffine(const InferCall &c) {
  requireDType(c, 0, c.accepted);
  requireSameDType(c);
  checkedDim(c, AttrReader(c.attrs).integer());
  if (c.sizes(0) != c.sizes(1))
    fail<shape_error>(c, "factors " + c.sizes(0).str() + " and summands " + c.sizes(1).str() + " differ");
  c.results[0] = c.operands[0];
}

void sort(const InferCall &c) { scan(c); }

void topk(const InferCall &c) {
  AttrReader attrs(c.attrs);
  const int64_t k = attrs.integer();
  const size_t dim = checkedDim(c, attrs.integer());
  Shape sizes = c.sizes(0);
  const int64_t size = sizes.empty() ? 1 : sizes[dim];
  if (k < 0 || k > size)
    fail<shape_error>(c, "k is " + std::to_string(k) + ", but dim " + std::to_string(dim) + " of " + sizes.str() +
                             " has size " + std::to_string(size));
  if (!sizes.empty()) sizes[dim] = k;
  else if (k == 0) sizes = {0};
  c.results[0] = {c.dtype(0), sizes};
  c.results[1] = {DType::I64, sizes};
}

void searchsorted(const InferCall &c) {
  requireSameDType(c);
  const Shape &sorted = c.sizes(0), &values = c.sizes(1);
  bool fits = !sorted.empty() && (sorted.rank() == 1 || sorted.rank() == values.rank());
  for (size_t d = 0; fits && d + 1 < sorted.rank(); ++d) fits = sorted[d] == values[d];
  if (!fits)
    fail<shape_error>(c, "one sorted row, or one for each row of the values " + values.str() + " expected, got " +
                             sorted.str());
  c.results[0] = {DType::I64, values};
}

} // namespace tensorjit::infer
