#pragma once
/// One point of the iteration space, or a vector of neighbours along one dim, under emission.
#include "cpu/emit/Emission.h"
#include "nest/Body.h"

namespace tensorjit::cpu {

using nest::Access, nest::Body, nest::Guard, nest::LinearForm, nest::Space, nest::ValueInfo;
using nest::isExpensive, nest::linearForm, nest::makeSpace, nest::positionOf;

/// Copies share the emission but nothing else: a copy that is bound further inside a loop forgets its values when the
/// loop ends.
class Point {
public:
  Point(Emission &emission, const Space &space, const Body &body);

  void bind(unsigned dim, mlir::Value index);
  /// `dim` takes first, first+1, ... in the lanes; those not in `active` (null: all) read and write nothing.
  void bindLanes(unsigned dim, mlir::Value first, int64_t lanes, mlir::Value active);

  /// The body value here: a scalar where it is the same in all lanes.
  mlir::Value evaluate(mlir::Value bodyValue);
  /// The same with as many lanes as the point has.
  mlir::Value evaluateLanes(mlir::Value bodyValue);
  void set(mlir::Value bodyValue, mlir::Value value) { values_[bodyValue] = value; }
  bool isKnown(mlir::Value bodyValue) const { return values_.contains(bodyValue); }
  /// Evaluates all that the dims bound so far decide, so that it is not done again in inner loops.
  void hoist();

  /// Sums up what the dims bound so far contribute to every address, for several points that go on from here.
  void prepareAddresses();

  mlir::Value load(const Access &access);
  void store(const Access &access, mlir::Value value);

  mlir::Value index(mlir::AffineExpr expr); ///< at the first lane
  /// A vector of i32, or of i64 where i32 does not suffice; `bound`, where there is one, is above every index.
  mlir::Value laneIndices(mlir::AffineExpr expr, std::optional<int64_t> bound = std::nullopt);
  int64_t lanes() const { return lanes_; }
  mlir::Value active() const { return active_; }

private:
  bool variesOverLanes(const Access &access) const { return laneDim_ >= 0 && access.dependsOn(laneDim_); }
  bool variesOverLanes(mlir::AffineExpr expr) const { return laneDim_ >= 0 && expr.isFunctionOfDim(laneDim_); }
  bool areBound(const llvm::SmallBitVector &dims) const { return !dims.test(boundDims_); }
  mlir::Value atom(mlir::AffineExpr expr);
  mlir::Value compute(mlir::Operation *op);
  mlir::Value read(kernel::ReadOp op);
  mlir::Value guardMask(const Access &access, bool lanes);
  mlir::Value loadScalar(const Access &access);
  mlir::Value loadLanes(const Access &access);
  mlir::Value fullMask();
  mlir::Value fromMemory(mlir::Value value, mlir::Type element);
  mlir::Value toMemory(mlir::Value value);

  Emission *emission_;
  const Space *space_;
  const Body *body_;
  llvm::SmallVector<mlir::Value> dims_;
  llvm::SmallVector<unsigned> order_; ///< of binding: outer loops first
  llvm::SmallBitVector boundDims_;
  int laneDim_ = -1;
  int64_t lanes_ = 1;
  mlir::Value active_;
  llvm::DenseMap<mlir::Value, mlir::Value> values_;
  llvm::ArrayRef<mlir::Value> positions_; ///< of the `kernel.read` under emission
  /// Sums of the terms of the dims bound so far, without constants.
  struct PartialSum {
    size_t dims = 0;
    mlir::Value sum;
    int64_t constant = 0;
  };
  llvm::DenseMap<mlir::AffineExpr, PartialSum> sums_;
};

} // namespace tensorjit::cpu
