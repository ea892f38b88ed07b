#pragma once
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tensorjit::cuda::test {

/// The nest of `random_bits` or `random_normal`: seed and offset, then `count` elements.
mlir::OwningOpRef<mlir::ModuleOp> drawing(mlir::MLIRContext &context, const std::string &op, const std::string &type,
                                          int64_t count);

} // namespace tensorjit::cuda::test
