#pragma once
/// Matrix products, convolutions and their gradients: a tile of results in registers, A read as scalars, B as vectors.
#include "cpu/emit/PaddedCopy.h"

namespace tensorjit::cpu {

/// A dim whose points are tiled: `outer` counts tiles, `inner` is unrolled into registers.
struct RowDim {
  unsigned outer, inner;
  int64_t size, factor;
  bool hasRemainder() const { return size % factor != 0; }
};

/// Points of a reduction dim behind the end of what it runs over are left out: of the last of several chunks.
struct ReductionBound {
  unsigned place; ///< among the pinned expressions: position of the dim's point in what it runs over
  int64_t size;   ///< of that
};

struct Contraction {
  Space space;
  mlir::Operation *reduce;
  unsigned a, b; ///< inputs
  unsigned panelDim, laneDim;
  int64_t columns, lanes, vectors;
  bool packed; ///< B's panels are whole in memory
  llvm::SmallVector<RowDim> rows;
  llvm::SmallVector<unsigned> reductionDims; ///< outer first
  /// Outermost reduction dim whose points are summed through the result's memory, or -1: its slices of A and B stay
  /// in the cache while all tiles use them.
  int blockedDim = -1;
  std::optional<ReductionBound> bound;
  std::optional<PaddedCopy> copy;
  llvm::SmallVector<PaddedDim> paddedDims;
  llvm::SmallVector<unsigned> unitDims, tileDims; ///< loops around a tile: shared by threads, and inside a unit

  bool isBounded(unsigned dim) const;
  int64_t panel() const { return vectors * lanes; }
  int64_t extent() const;
  double unitSeconds() const;
};

/// The nest as a contraction, if it has one of the forms in dialects/kernel/README.md. No dims are merged yet.
std::optional<Contraction> matchContraction(const Space &space, const Target &target);

void emitContraction(Emission &emission, Contraction contraction, mlir::Value lo, mlir::Value hi);

} // namespace tensorjit::cpu
