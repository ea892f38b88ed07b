// Softmax, its logarithm and their gradients: one visit of a row with dependent reductions.
#include "lower/Lowering.h"
#include "lower/Scalars.h"

namespace tensorjit::lower_ops {

using RowBody = llvm::function_ref<Value(Scalars, ValueRange)>;

// A nest over all dims of the result, the attribute `dim` reduced; every operand is read as it lies.
static Values rowNest(Lowering &l, RowBody body) {
  NestBuilder nest = l.nest();
  SmallVector<AffineExpr> dims;
  for (auto [i, size] : llvm::enumerate(l.resultType().getShape()))
    dims.push_back(static_cast<int64_t>(i) == l.integer("dim") ? nest.reduction(size) : nest.parallel(size));
  // Softmax of a 0-d tensor has no dim to reduce; a dim of one point changes nothing.
  if (dims.empty()) nest.reduction(1);
  for (Value operand : l.op->getOperands()) nest.input(operand, dims);
  nest.output(l.resultType().getElementType(), dims);
  auto create = [&](OpBuilder &b, Location loc, ValueRange in) -> Values { return {body({b, loc}, in)}; };
  return Values(nest.create(create)->getResults());
}

static Values softmax(Lowering &l) {
  return rowNest(l, [](Scalars s, ValueRange in) {
    Value e = s.exp(s.sub(in[0], s.reduce(kernel::ReduceKind::Max, in[0])));
    return s.div(e, s.sum(e));
  });
}

static Values logSoftmax(Lowering &l) {
  return rowNest(l, [](Scalars s, ValueRange in) {
    Value shifted = s.sub(in[0], s.reduce(kernel::ReduceKind::Max, in[0]));
    return s.sub(shifted, s.log(s.sum(s.exp(shifted))));
  });
}

static Values softmaxGrad(Lowering &l) {
  return rowNest(l, [](Scalars s, ValueRange in) { return s.mul(in[1], s.sub(in[0], s.sum(s.mul(in[0], in[1])))); });
}

static Values logSoftmaxGrad(Lowering &l) {
  return rowNest(l, [](Scalars s, ValueRange in) { return s.sub(in[0], s.mul(s.exp(in[1]), s.sum(in[0]))); });
}

ArrayRef<LowerEntry> softmaxLowerings() {
  static constexpr LowerEntry entries[] = {{"softmax", softmax},
                                           {"log_softmax", logSoftmax},
                                           {"softmax_grad", softmaxGrad},
                                           {"log_softmax_grad", logSoftmaxGrad}};
  return entries;
}

} // namespace tensorjit::lower_ops
