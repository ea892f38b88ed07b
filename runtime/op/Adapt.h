#pragma once
/// What the generated bodies of public functions call besides ops: functions named by `adapt` in a record, which answer
/// a call in another form than the op takes by calls in its form (and return false where the op takes it), and parts
/// of composites.
#include "tensorjit/operand.h"
#include "tensorjit/tensor.h"

#include <span>

namespace tensorjit {

/// A weight without its first dim has one output, whose dim the result does not have.
bool adaptLinear(const Tensor &x, const Tensor &w, const Tensor &b, std::span<Tensor> results,
                 const SourceLocation &loc);
/// One image or volume without a batch dim.
bool adaptConv2d(const Tensor &x, const Tensor &w, const Tensor &b, IntPair stride, IntPair padding, IntPair dilation,
                 int64_t groups, std::span<Tensor> results, const SourceLocation &loc);
bool adaptConv3d(const Tensor &x, const Tensor &w, const Tensor &b, const Dims &stride, const Dims &padding,
                 const Dims &dilation, int64_t groups, std::span<Tensor> results, const SourceLocation &loc);
bool adaptMaxPool3d(const Tensor &x, const Dims &kernel, const std::optional<Dims> &stride, const Dims &padding,
                    const Dims &dilation, bool ceilMode, std::span<Tensor> results, const SourceLocation &loc);
bool adaptMaxPool2d(const Tensor &x, IntPair kernel, std::optional<IntPair> stride, IntPair padding, IntPair dilation,
                    bool ceilMode, std::span<Tensor> results, const SourceLocation &loc);
/// One row, rows with dims behind the classes, and targets that are distributions over the classes.
bool adaptCrossEntropy(const Tensor &x, const Tensor &target, Reduction reduction, int64_t ignored, double smoothing,
                       std::span<Tensor> results, const SourceLocation &loc);
bool adaptNllLoss(const Tensor &x, const Tensor &target, Reduction reduction, int64_t ignored,
                  std::span<Tensor> results, const SourceLocation &loc);
/// Host exponents 0, 1, 2, 3 and -1. Throws `value_error` for a negative host exponent of an integer tensor.
bool adaptPow(const Operand &a, const Operand &b, std::span<Tensor> results, const SourceLocation &loc);
/// Host amounts, which need not fit the dtype.
bool adaptShiftLeft(const Operand &a, const Operand &b, std::span<Tensor> results, const SourceLocation &loc);
bool adaptShiftRight(const Operand &a, const Operand &b, std::span<Tensor> results, const SourceLocation &loc);

/// All losses, their mean or their sum.
Tensor reduced_loss(const Tensor &losses, Reduction reduction);

} // namespace tensorjit
