#pragma once
/// The eager kernels, as they stand in `OpInfo::eager`: `pointwise` for every op whose record has an `expr`, else the
/// function named after the op. Operands may have any strides; results are allocated, dense and not initialised.
#include "eager/EagerCall.h"

namespace tensorjit::eager {

void pointwise(const EagerCall &call);
void cast(const EagerCall &call);

// Views whose data has to be copied, and views run from a recorded graph.
void reshape(const EagerCall &call);
void permute(const EagerCall &call);
void broadcastTo(const EagerCall &call);
void slice(const EagerCall &call);
void sliceScatter(const EagerCall &call);

void full(const EagerCall &call);
void iota(const EagerCall &call);

void reduceSum(const EagerCall &call);
void mean(const EagerCall &call);
void reduceMax(const EagerCall &call);
void reduceMin(const EagerCall &call);
void reduceAnd(const EagerCall &call);
void reduceOr(const EagerCall &call);
void argMax(const EagerCall &call);
void argMin(const EagerCall &call);

void matmul(const EagerCall &call);
void linear(const EagerCall &call);
void conv2d(const EagerCall &call);
void conv2dInputGrad(const EagerCall &call);
void conv2dWeightGrad(const EagerCall &call);

void maxPool2d(const EagerCall &call);
void maxPool2dGrad(const EagerCall &call);

void softmax(const EagerCall &call);
void logSoftmax(const EagerCall &call);
void softmaxGrad(const EagerCall &call);
void logSoftmaxGrad(const EagerCall &call);
void nllLoss(const EagerCall &call);
void crossEntropy(const EagerCall &call);
void crossEntropyGrad(const EagerCall &call);

} // namespace tensorjit::eager
