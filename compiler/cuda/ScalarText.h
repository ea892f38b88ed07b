#pragma once
#include "mlir/IR/Operation.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <string>

namespace tensorjit::cuda {

/// The C++ type of a scalar in a body: i1 is `bool`.
std::string scalarTypeText(mlir::Type type);
/// The same in memory: i1 is a byte.
std::string memoryTypeText(mlir::Type type);
/// A constant, with exactly these bits.
std::string constantText(mlir::TypedAttr value);
/// The value that changes nothing when combined: what a reduction starts from.
std::string extremeText(mlir::Type type, bool largest);

/// An `arith` or `math` op on operands of these names, as an expression. None where it has no CUDA form.
std::optional<std::string> expressionText(mlir::Operation *op, llvm::ArrayRef<std::string> operands);

} // namespace tensorjit::cuda
