#pragma once
/// Result types of the ops, one file a family. The generated rows call these with what the record says of the op;
/// messages name the op, the shapes and what would be accepted, without a source line.
#include "op/DTypeSet.h"
#include "op/OpInfo.h"

#include <string>

namespace tensorjit::infer {

struct InferCall {
  const char *op; ///< as the user calls it
  DTypeSet accepted;
  bool resultIsBool;
  std::span<const TensorType> operands;
  const Attrs &attrs;
  std::span<TensorType> results;

  const Shape &sizes(size_t i) const { return operands[i].sizes; }
  DType dtype(size_t i) const { return operands[i].dtype; }
};

/// Throws `E` with "op: text".
template <class E> [[noreturn]] void fail(const InferCall &c, const std::string &text) {
  throw E(std::string(c.op) + ": " + text);
}
/// Throws `type_error` where operand `i` has none of the accepted dtypes.
void requireDType(const InferCall &c, size_t i, DTypeSet accepted);
/// Throws `type_error` where operands [first, end) differ in dtype.
void requireSameDType(const InferCall &c, size_t first = 0);
/// Throws `shape_error` where operand `i` has another rank.
void requireRank(const InferCall &c, size_t i, size_t rank, const char *what);
/// Sizes that `a` and `b` broadcast to. Throws `shape_error`.
Shape broadcast(const InferCall &c, const Shape &a, const Shape &b);
/// Throws `shape_error` where the product of the sizes overflows or a size is negative.
void requireSizes(const InferCall &c, const Shape &sizes);

// Pointwise.cpp
void pointwise(const InferCall &c);
void select(const InferCall &c);
void cast(const InferCall &c);
// Shape.cpp
void reshape(const InferCall &c);
void permute(const InferCall &c);
void broadcastTo(const InferCall &c);
void slice(const InferCall &c);
void sliceScatter(const InferCall &c);
void bitcast(const InferCall &c);
// Index.cpp
void gather(const InferCall &c);
void scatter(const InferCall &c);
void scatterExtreme(const InferCall &c);
void scatterProduct(const InferCall &c);
void indexSelect(const InferCall &c);
void rowsInto(const InferCall &c);
void positions(const InferCall &c);
void concat(const InferCall &c);
// Reduction.cpp
void reduce(const InferCall &c);
void reduceExtreme(const InferCall &c);
void reduceToBool(const InferCall &c);
void argReduce(const InferCall &c);
// Scan.cpp
void scan(const InferCall &c);
void scanAffine(const InferCall &c);
void sort(const InferCall &c);
void topk(const InferCall &c);
void searchsorted(const InferCall &c);
// Contraction.cpp
void matmul(const InferCall &c);
void linear(const InferCall &c);
// Convolution.cpp
void conv(const InferCall &c);
void convInputGrad(const InferCall &c);
void convWeightGrad(const InferCall &c);
// Window.cpp
void maxPool(const InferCall &c);
void maxPoolGrad(const InferCall &c);
void windowSum(const InferCall &c);
void windowSumBackward(const InferCall &c);
// Loss.cpp
void softmax(const InferCall &c);
void softmaxGrad(const InferCall &c);
void nllLoss(const InferCall &c);
void crossEntropy(const InferCall &c);
void crossEntropyGrad(const InferCall &c);
// Creation.cpp
void full(const InferCall &c);
void iota(const InferCall &c);
void randomBits(const InferCall &c);
void randomNormal(const InferCall &c);
// Optimizer.cpp
void update(const InferCall &c);

} // namespace tensorjit::infer
