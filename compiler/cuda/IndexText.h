#pragma once
#include "kernel/Kernel.h"

#include <string>

namespace tensorjit::cuda {

/// Index arithmetic of one nest as C++: `int` where every index and every position in memory is below 2^31, else
/// `long long`.
class IndexText {
public:
  explicit IndexText(kernel::NestOp nest);

  const char *type() const { return wide_ ? "long long" : "int"; }
  /// An affine expression over the dims' names d0, d1, ...
  std::string text(mlir::AffineExpr expr) const;
  /// The row-major position of the element that `map` names in a tensor of these sizes.
  std::string position(mlir::AffineMap map, llvm::ArrayRef<int64_t> sizes) const;
  /// The condition under which `map` stays inside the tensor; empty where it always does.
  std::string inside(mlir::AffineMap map, llvm::ArrayRef<int64_t> sizes) const;
  /// Statements that define the names of `dims` from their row-major number `linear`.
  std::string defineDims(llvm::ArrayRef<unsigned> dims, const std::string &linear, const std::string &indent) const;

private:
  std::string number(int64_t value) const;
  bool isNonNegative(mlir::AffineExpr expr) const;

  mutable kernel::NestOp nest_; ///< the accessors of MLIR ops are not const
  bool wide_;
};

} // namespace tensorjit::cuda
