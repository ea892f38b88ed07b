#pragma once
#include <string>

namespace mlir {
class Operation;
}

namespace tensorjit::cpu {

/// The kernel as the only op of a function in textual MLIR, without names and locations: equal kernels, equal text.
std::string kernelText(mlir::Operation *kernelOp);

} // namespace tensorjit::cpu
