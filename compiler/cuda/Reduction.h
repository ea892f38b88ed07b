#pragma once
/// How reductions of a body are written: an accumulator, how a value joins it, how two become one.
#include "kernel/Kernel.h"

#include <string>

namespace tensorjit::cuda {

/// The accumulator's type.
std::string accumulatorType(mlir::Operation *reduction);
/// What it starts from.
std::string startText(mlir::Operation *reduction);
/// The object that combines two accumulators.
std::string combinerText(mlir::Operation *reduction);
/// What joins it at a point, from the operands' names.
std::string contributionText(mlir::Operation *reduction, llvm::ArrayRef<std::string> operands);
/// A result, from the accumulator's name.
std::string resultText(mlir::OpResult result, const std::string &accumulator);
/// Whether rounding errors grow with the number of terms.
bool isFloatSum(mlir::Operation *reduction);

} // namespace tensorjit::cuda
