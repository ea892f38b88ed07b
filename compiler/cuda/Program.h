#pragma once
#include "llvm/Support/LogicalResult.h"

#include <string>

namespace mlir {
class Operation;
}

namespace tensorjit::cuda {

/// All nests and groups below `root` as one CUDA C++ program that includes no header, in order:
///
///   kernel.nest "add" [parallel 8] ...     ->   // add: 1 block of 256 threads
///                                               extern "C" __global__ void add(const float *p0, ..., float *p2)
///
/// Parameters are the kernel's inputs, then its results, then the error slot where it checks indices. A nest without
/// reduction dims computes one point a thread; one with them computes one point of its parallel dims a block, whose
/// threads share the reduction dims. Emits an error at an op that has no CUDA form and fails.
llvm::FailureOr<std::string> printProgram(mlir::Operation *root);

} // namespace tensorjit::cuda
