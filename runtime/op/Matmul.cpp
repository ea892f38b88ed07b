/// torch's rank rules of matmul on top of the op, which multiplies two matrices or two equal batches of them.
#include "core/Dispatch.h"
#include "op/ContractionIds.h"
#include "tensorjit/ops.h"

#include <string>

namespace tensorjit {

using dispatch::CallScope;
using dispatch::fail;

static Tensor multiply(const Tensor &a, const Tensor &b, const char *op, const CallScope &scope) {
  const Operand oa(a), ob(b);
  const DType type = dispatch::promote(scope, op, {&oa, &ob});
  const dispatch::Promoted pa(oa, type, scope), pb(ob, type, scope);
  const TensorBase *operands[] = {pa.get(), pb.get()};
  TensorBase result;
  dispatch::call(opid::Matmul, operands, {}, {&result, 1}, scope.location());
  return result;
}

static Shape batchOf(const Shape &sizes) { return Shape(std::span(sizes.begin(), sizes.rank() - 2)); }

static Shape broadcastBatch(const Tensor &a, const Tensor &b, const CallScope &scope) {
  const Shape x = batchOf(a.sizes()), y = batchOf(b.sizes());
  Shape all = x.rank() >= y.rank() ? x : y;
  const Shape &shorter = x.rank() >= y.rank() ? y : x;
  for (size_t i = 0; i < shorter.rank(); ++i) {
    int64_t &d = all[i + all.rank() - shorter.rank()];
    if (d == 1) d = shorter[i];
    else if (shorter[i] != 1 && shorter[i] != d)
      fail<shape_error>(scope, "matmul: cannot multiply " + a.sizes().str() + " by " + b.sizes().str() +
                                   ": batch sizes " + x.str() + " and " + y.str() + " do not broadcast");
  }
  return all;
}

/// `x` with its batch dims broadcast to `batch` and merged into one.
static Tensor oneBatch(const Tensor &x, const Shape &batch, const SourceLocation &loc) {
  const int64_t rows = x.size(-2), columns = x.size(-1);
  Shape sizes = batch;
  sizes.push_back(rows);
  sizes.push_back(columns);
  return reshape(broadcast_to(x, sizes, loc), {batch.numel(), rows, columns}, loc);
}

Tensor matmul(const Tensor &a, const Tensor &b, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "matmul", "a", a);
  dispatch::requireDefined(scope, "matmul", "b", b);
  auto cannot = [&](const std::string &why) {
    fail<shape_error>(scope, "matmul: cannot multiply " + a.sizes().str() + " by " + b.sizes().str() + ": " + why);
  };
  if (a.dim() == 0 || b.dim() == 0) cannot("operands of rank 1 or more expected");
  const int64_t inner = a.size(-1), other = b.size(b.dim() == 1 ? -1 : -2);
  if (inner != other) cannot("inner sizes " + std::to_string(inner) + " and " + std::to_string(other) + " differ");
  if (a.dim() == 1) {
    const Tensor y = matmul(unsqueeze(a, 0, loc), b, loc);
    return squeeze(y, b.dim() == 1 ? -1 : -2, loc);
  }
  if (b.dim() == 1) return squeeze(matmul(a, unsqueeze(b, 1, loc), loc), -1, loc);
  if (a.dim() == 2 && b.dim() == 2) return multiply(a, b, "matmul", scope);
  if (b.dim() == 2) { // one tall matrix
    Shape sizes = a.sizes();
    sizes[sizes.rank() - 1] = b.size(1);
    return reshape(multiply(reshape(a, {batchOf(a.sizes()).numel() * a.size(-2), inner}, loc), b, "matmul", scope),
                   sizes, loc);
  }
  const Shape batch = broadcastBatch(a, b, scope);
  Shape sizes = batch;
  sizes.push_back(a.size(-2));
  sizes.push_back(b.size(-1));
  return reshape(multiply(oneBatch(a, batch, loc), oneBatch(b, batch, loc), "matmul", scope), sizes, loc);
}

static void requireRank(const CallScope &scope, const char *op, const char *argument, const Tensor &x, int64_t rank) {
  dispatch::requireDefined(scope, op, argument, x);
  if (x.dim() != rank)
    fail<shape_error>(scope, std::string(op) + ": " + argument + " of rank " + std::to_string(rank) +
                                 " expected, got " + x.sizes().str());
}

Tensor mm(const Tensor &a, const Tensor &b, SourceLocation loc) {
  const CallScope scope(loc);
  requireRank(scope, "mm", "a", a, 2);
  requireRank(scope, "mm", "b", b, 2);
  return multiply(a, b, "mm", scope);
}

Tensor bmm(const Tensor &a, const Tensor &b, SourceLocation loc) {
  const CallScope scope(loc);
  requireRank(scope, "bmm", "a", a, 3);
  requireRank(scope, "bmm", "b", b, 3);
  return multiply(a, b, "bmm", scope);
}

} // namespace tensorjit
