#pragma once
#include "autograd/Node.h"

namespace tensorjit::autograd {

/// Walks the tape from `outputs` and adds into the gradients of its leaves; under a recording of its own where the
/// tape was made by a compiled function.
void runBackward(std::span<const Tensor> outputs, std::span<const Tensor> gradients, bool retainGraph, bool createGraph,
                 const SourceLocation &loc);

} // namespace tensorjit::autograd
