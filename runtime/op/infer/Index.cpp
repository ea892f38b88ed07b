#include "op/infer/Infer.h"

#include "tensorjit/error.h"

#include <algorithm>

namespace tensorjit::infer {

/// The dim that positions run along; 0-d tensors have one of size 1.
static size_t checkedDim(const InferCall &c) {
  const int64_t dim = AttrReader(c.attrs).integer();
  if (dim < 0 || static_cast<size_t>(dim) >= std::max<size_t>(1, c.sizes(0).rank()))
    fail<index_error>(c, "dim " + std::to_string(dim) + " is out of range for " + c.sizes(0).str());
  return static_cast<size_t>(dim);
}

/// Throws where the positions (operand 1) do not address `x` (operand 0) along `dim`. No positions address anything.
static void requirePositions(const InferCall &c, size_t dim) {
  const Shape &x = c.sizes(0), &index = c.sizes(1);
  if (index.numel() == 0) return;
  if (!dtypes::index.contains(c.dtype(1)))
    fail<type_error>(c, std::string("positions of i64 or i32 expected, got ") + name(c.dtype(1)));
  if (index.rank() != x.rank())
    fail<shape_error>(c, "positions of rank " + std::to_string(x.rank()) + " expected, got " + index.str());
  for (size_t d = 0; d < x.rank(); ++d)
    if (d != dim && index[d] > x[d])
      fail<shape_error>(c, "positions " + index.str() + " are larger than " + x.str() + " in dim " + std::to_string(d));
}

void gather(const InferCall &c) {
  requirePositions(c, checkedDim(c));
  c.results[0] = {c.dtype(0), c.sizes(1)};
}

void scatter(const InferCall &c) {
  requirePositions(c, checkedDim(c));
  requireDType(c, 0, c.accepted);
  if (c.dtype(2) != c.dtype(0))
    fail<type_error>(c, std::string("a source of ") + name(c.dtype(0)) + " expected, got " + name(c.dtype(2)));
  const Shape &index = c.sizes(1), &source = c.sizes(2);
  bool fits = source.rank() == index.rank();
  for (size_t d = 0; fits && d < index.rank(); ++d) fits = source[d] >= index[d];
  if (!fits) fail<shape_error>(c, "a source of at least " + index.str() + " expected, got " + source.str());
  c.results[0] = c.operands[0];
}

void scatterExtreme(const InferCall &c) {
  scatter(c);
  c.results[1] = {DType::I64, c.sizes(0)};
}

void scatterProduct(const InferCall &c) { scatter(c); }

/// The sizes of `x` (operand 0) with one row along `dim` for each position of a list (operand 1).
static Shape rowsOf(const InferCall &c, size_t dim) {
  requireDType(c, 1, dtypes::index);
  requireRank(c, 1, 1, "a list of positions");
  Shape sizes = c.sizes(0);
  if (sizes.empty()) fail<shape_error>(c, "a tensor of rank 1 or more expected, got []");
  sizes[dim] = c.sizes(1)[0];
  return sizes;
}

void indexSelect(const InferCall &c) {
  const Shape sizes = rowsOf(c, checkedDim(c));
  requireSizes(c, sizes);
  c.results[0] = {c.dtype(0), sizes};
}

void rowsInto(const InferCall &c) {
  const Shape sizes = rowsOf(c, checkedDim(c));
  requireDType(c, 0, c.accepted);
  if (c.dtype(2) != c.dtype(0))
    fail<type_error>(c, std::string("a source of ") + name(c.dtype(0)) + " expected, got " + name(c.dtype(2)));
  if (c.sizes(2) != sizes)
    fail<shape_error>(c, "a source of sizes " + sizes.str() + " expected, got " + c.sizes(2).str());
  c.results[0] = c.operands[0];
}

void positions(const InferCall &c) {
  requireDType(c, 0, dtypes::index);
  c.results[0] = {DType::I64, c.sizes(0)};
}

void concat(const InferCall &c) {
  requireSameDType(c);
  const size_t dim = checkedDim(c);
  const Shape &a = c.sizes(0), &b = c.sizes(1);
  bool fits = !a.empty() && a.rank() == b.rank();
  for (size_t d = 0; fits && d < a.rank(); ++d) fits = d == dim || a[d] == b[d];
  if (!fits)
    fail<shape_error>(c, "cannot join " + a.str() + " and " + b.str() + " along dim " + std::to_string(dim) +
                             ": other sizes differ");
  Shape sizes = a;
  sizes[dim] += b[dim];
  requireSizes(c, sizes);
  c.results[0] = {c.dtype(0), sizes};
}

} // namespace tensorjit::infer
