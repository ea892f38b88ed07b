#pragma once
/// A kernel's units of work: the points of some parallel dims, numbered row-major, of which a call runs a range.
#include "cpu/emit/Builder.h"

namespace tensorjit::cpu {

/// Units [lo, hi). The body gets one index for each of `sizes`.
void forEachUnit(Builder &b, llvm::ArrayRef<int64_t> sizes, mlir::Value lo, mlir::Value hi,
                 llvm::function_ref<void(mlir::ValueRange)> body);

} // namespace tensorjit::cpu
