#pragma once
#include "op/OpInfo.h"
#include "tensorjit/tensor.h"

namespace tensorjit::eager {

/// Infers the result types, allocates dense results and runs the op's eager kernel. Throws the op's errors without a
/// source line, index errors included. Pending operands are made readable first.
void run(OpId op, std::span<const Tensor *const> operands, const Attrs &attrs, std::span<Tensor> results,
         const SourceLocation &loc);

/// A 0-d tensor of a host number, rounded once.
Tensor scalarTensor(Scalar value, DType type);

} // namespace tensorjit::eager
