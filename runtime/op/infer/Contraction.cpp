#include "op/infer/Infer.h"

#include "tensorjit/error.h"

namespace tensorjit::infer {

void matmul(const InferCall &c) {
  requireSameDType(c);
  requireDType(c, 0, c.accepted);
  const Shape &a = c.sizes(0), &b = c.sizes(1);
  const size_t rank = a.rank();
  auto cannot = [&](const std::string &why) {
    fail<shape_error>(c, "cannot multiply " + a.str() + " by " + b.str() + ": " + why);
  };
  if (rank != b.rank() || rank < 2 || rank > 3) cannot("two matrices or two batches of matrices expected");
  if (a[rank - 1] != b[rank - 2])
    cannot("inner sizes " + std::to_string(a[rank - 1]) + " and " + std::to_string(b[rank - 2]) + " differ");
  if (rank == 3 && a[0] != b[0])
    cannot("batch sizes " + std::to_string(a[0]) + " and " + std::to_string(b[0]) + " differ");
  Shape sizes = a;
  sizes[rank - 1] = b[rank - 1];
  requireSizes(c, sizes);
  c.results[0] = {c.dtype(0), sizes};
}

void linear(const InferCall &c) {
  requireSameDType(c);
  requireDType(c, 0, c.accepted);
  const Shape &x = c.sizes(0), &w = c.sizes(1);
  if (x.empty()) fail<shape_error>(c, "input of rank 1 or more expected, got []");
  requireRank(c, 1, 2, "weight");
  if (x.back() != w[1])
    fail<shape_error>(c, "cannot apply weight " + w.str() + " to " + x.str() + ": the input has " +
                             std::to_string(x.back()) + " features, the weight expects " + std::to_string(w[1]));
  if (c.operands.size() > 2 && c.sizes(2) != Shape({w[0]}))
    fail<shape_error>(c, "bias " + Shape({w[0]}).str() + " expected, got " + c.sizes(2).str());
  Shape sizes = x;
  sizes[sizes.rank() - 1] = w[0];
  requireSizes(c, sizes);
  c.results[0] = {c.dtype(0), sizes};
}

} // namespace tensorjit::infer
