#pragma once
/// How a nest without a special skeleton is run: what goes along the lanes, what the threads share, what are loops.
#include "cpu/emit/ReductionLoops.h"

namespace tensorjit::cpu {

struct Plan {
  llvm::StringRef skeleton = "scalar"; ///< "scalar", "pointwise", "row_reduction" or "column_reduction"
  int laneDim = -1;                    ///< parallel dim along the lanes
  int crossDim = -1;                   ///< parallel dim along which some accesses are contiguous; see TransposedBlocks
  int64_t lanes = 1;
  int64_t vectors = 1; ///< side by side along laneDim
  int64_t block = 0;   ///< elements of blockDim() in a unit; 0: all
  /// Parallel dims: a unit is one point of the first, the others are loops inside it.
  llvm::SmallVector<unsigned> unitDims, innerDims;
  ReductionPlan reduction;
  double unitSeconds = 0; ///< estimated

  unsigned blockDim() const { return crossDim >= 0 ? crossDim : laneDim; }
  int64_t extent(const Space &space) const;
};

Plan makePlan(const Space &space, const Body &body, const Target &target);

/// Emits units [lo, hi).
void emitPlanned(Emission &emission, const Space &space, const Body &body, const Plan &plan, mlir::Value lo,
                 mlir::Value hi);

} // namespace tensorjit::cpu
