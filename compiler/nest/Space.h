#pragma once
/// A nest as the skeletons see it: linear addresses instead of multi-dimensional maps, dims that can be split and
/// merged.
#include "kernel/Kernel.h"

#include "llvm/ADT/SmallBitVector.h"

#include <optional>

namespace tensorjit::nest {

/// A sum of dims times constants, a constant, and what is not linear (`floordiv`, `mod`) times constants.
struct LinearForm {
  llvm::SmallVector<int64_t> coefficients; ///< of each dim
  int64_t constant = 0;
  llvm::SmallVector<std::pair<mlir::AffineExpr, int64_t>> atoms;

  bool isLinearIn(unsigned dim) const;
};
LinearForm linearForm(mlir::AffineExpr expr, unsigned dimCount);

/// In the address of what `kernel.read` reads, position k is the atom `(1 + the dims that it differs along) * sk`, so
/// that it follows what becomes of the dims. Which position an atom is, if it is one.
std::optional<unsigned> positionOf(mlir::AffineExpr atom);

/// In bounds where 0 <= index < size.
struct Guard {
  mlir::AffineExpr index;
  int64_t size;
  friend bool operator==(const Guard &, const Guard &) = default;
};

struct Access {
  mlir::Value memory; ///< what a code generator knows the tensor by
  mlir::Type element; ///< as the body sees it; i1 is a byte in memory
  int64_t elements = 0;
  mlir::AffineExpr address; ///< in elements
  llvm::SmallVector<Guard> guards;
  mlir::TypedAttr pad;
  /// Position along each dim of the tensor. Merging dims keeps `address` right, but not these.
  llvm::SmallVector<mlir::AffineExpr> indices;
  llvm::SmallVector<int64_t> shape;

  bool dependsOn(unsigned dim) const;
  /// Whether `kernel.read` reads it.
  bool hasPositions() const;
};

struct Space {
  kernel::NestOp nest;
  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<bool> reduction;
  llvm::SmallVector<Access> inputs, outputs;
  /// What `kernel.index d` is in today's dims.
  llvm::SmallVector<mlir::AffineExpr> indices;
  /// Further expressions that follow the dims' changes; their dims are not merged with others.
  llvm::SmallVector<mlir::AffineExpr> pinned;
  /// Dim 0 numbers the slices of a chain: it is the outermost of the dims that make units, whatever else is chosen.
  bool sliced = false;

  bool isSliceNumber(unsigned dim) const { return sliced && dim == 0; }
  unsigned dimCount() const { return sizes.size(); }
  int64_t points(bool reductionDims) const;
  llvm::SmallVector<unsigned> dims(bool reductionDims) const;
  LinearForm addressForm(const Access &access) const { return linearForm(access.address, dimCount()); }
  bool usesIndex(unsigned dim) const;

  /// `dim` runs over blocks of `factor`; a new dim, which is returned, runs inside a block. Points beyond the old
  /// size are the caller's to avoid.
  unsigned split(unsigned dim, int64_t factor);
};

/// The nest without dims of size 1, over the tensors `memory` (inputs, then outputs; or none).
Space makeSpace(kernel::NestOp nest, mlir::ValueRange memory = {});

/// Cuts dim 0 into `slices` of equal size. Of the accesses, inputs before outputs, that are `local`, memory holds one
/// slice.
void cutIntoSlices(Space &space, int64_t slices, llvm::ArrayRef<bool> local);

/// Makes one dim of each pair that is dense in every access.
void mergeDims(Space &space);

} // namespace tensorjit::nest
