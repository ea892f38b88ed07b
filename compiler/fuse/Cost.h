#pragma once
#include "kernel/Kernel.h"

namespace tensorjit::fuse_nests {

/// Scalar operations of a point, scalar functions counted as many; constants and positions are free.
double bodyCost(kernel::NestOp nest);

/// One input, passed on as it is.
bool isCopy(kernel::NestOp nest);

/// A sum of products of two inputs: a matrix product or a convolution.
bool isContraction(kernel::NestOp nest);

bool hasChecks(kernel::NestOp nest);

/// Whether a result goes back into an argument's memory. A pointwise nest can write it there at once.
bool updatesState(kernel::NestOp nest);

} // namespace tensorjit::fuse_nests
