#pragma once
/// Memory of the tensors that only a chain's own nests see: one slice each, side by side while they are in use.
#include "kernel/Kernel.h"

#include "llvm/ADT/MapVector.h"

namespace tensorjit::plan {

struct SliceMemory {
  llvm::MapVector<mlir::Value, int64_t> offsets; ///< of results of nests
  int64_t bytes = 0;
};

/// For nests that run in this order, of those of their results that are local.
SliceMemory planSliceMemory(llvm::ArrayRef<kernel::NestOp> nests, int64_t slices,
                            llvm::function_ref<bool(mlir::Value)> isLocal);

} // namespace tensorjit::plan
