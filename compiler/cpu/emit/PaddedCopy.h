#pragma once
/// A contraction's A with its padding written out in the thread's scratch, one slice (image) at a time, so that inner
/// loops need no bounds.
#include "cpu/emit/Point.h"

#include <optional>

namespace tensorjit::cpu {

/// A reduction dim that meets padding alone where `index` is outside [0, size).
struct PaddedDim {
  unsigned dim;
  mlir::AffineExpr index; ///< the dim itself and parallel dims
  int64_t size;
};

/// Zeros among the cells of a copy: at an address the position along one dim is address / stride mod extent, and real
/// from `from` to `to`.
struct ZeroPadding {
  int64_t stride, extent, from, to;
};

class PaddedCopy {
public:
  /// For an input with guards whose leading indices choose the slice and occur nowhere else in it. Replaces the
  /// input's access in `space` by one of the copy, and pins the address of the slice.
  static std::optional<PaddedCopy> plan(Space &space, unsigned input);

  unsigned input() const { return input_; }
  /// Takes scratch, fills it with the pad value, and lets the space read it.
  void begin(Emission &emission, Space &space);
  /// Copies the slice that `point` is bound to.
  void emit(Emission &emission, Point &point) const;

  /// Reduction dims that step through padding, as the space has them now. Their products there need not be made.
  llvm::SmallVector<PaddedDim> paddedDims(const Space &space) const;

  /// Where the copy has zeros that are not in the tensor.
  llvm::SmallVector<ZeroPadding> zeros() const;

private:
  struct Dim {
    int64_t size;       ///< of the tensor
    int64_t lo, extent; ///< of the copy: positions lo .. lo + extent - 1
    int64_t from() const { return std::max<int64_t>(0, lo); }
    int64_t to() const { return std::min(size, lo + extent); }
    bool isWhole() const { return lo == 0 && extent == size; }
  };

  bool padsWithZero() const;

  unsigned input_ = 0;
  unsigned place_ = 0; ///< of the slice's address among the pinned expressions
  Access source_;
  mlir::AffineExpr sliceAddress_; ///< in the space as it is at begin()
  llvm::SmallVector<Dim> dims_;
  int64_t elements_ = 1;
  mlir::Value memory_;
};

} // namespace tensorjit::cpu
