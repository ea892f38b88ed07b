#pragma once
#include "op/OpInfo.h"
#include "tensorjit/tensor_base.h"

namespace tensorjit::eager {

/// Infers the result types, allocates dense results and runs the op's eager kernel. Throws the op's errors without a
/// source line, index errors included. Pending operands are made readable first.
void run(OpId op, std::span<const TensorBase *const> operands, const Attrs &attrs, std::span<TensorBase> results,
         const SourceLocation &loc);

/// A 0-d tensor of a host number, rounded once.
TensorBase scalarTensor(Scalar value, DType type);

} // namespace tensorjit::eager
