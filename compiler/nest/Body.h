#pragma once
/// What a nest's body values depend on.
#include "nest/Space.h"

namespace tensorjit::nest {

struct ValueInfo {
  llvm::SmallBitVector dims; ///< of the space that the value differs along
  /// How many dependent reductions come before it: 0 can be computed from inputs alone.
  unsigned phase = 0;
};

class Body {
public:
  explicit Body(const Space &space);

  const ValueInfo &info(mlir::Value value) const { return info_.find(value)->second; }
  bool variesOverReduction(mlir::Value value) const { return info(value).dims.anyCommon(reductionDims_); }
  /// `kernel.reduce` and `kernel.arg_reduce` ops whose operands are known after `phase` earlier reductions.
  llvm::SmallVector<mlir::Operation *> reductions(unsigned phase) const;
  llvm::ArrayRef<mlir::Operation *> reductions() const { return reductions_; }
  /// Of a nest without reductions.
  llvm::ArrayRef<kernel::ScanOp> scans() const { return scans_; }
  llvm::ArrayRef<kernel::CheckIndexOp> checks() const { return checks_; }
  unsigned phaseCount() const { return phaseCount_; }
  /// Scalar operations of a point, transcendentals weighted.
  double operations() const { return operations_; }

private:
  llvm::DenseMap<mlir::Value, ValueInfo> info_;
  llvm::SmallBitVector reductionDims_;
  llvm::SmallVector<mlir::Operation *> reductions_;
  llvm::SmallVector<kernel::ScanOp> scans_;
  llvm::SmallVector<kernel::CheckIndexOp> checks_;
  unsigned phaseCount_ = 1;
  double operations_ = 0;
};

/// Ops that become a polynomial or a library call.
bool isExpensive(mlir::Operation *op);

} // namespace tensorjit::nest
