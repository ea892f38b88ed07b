#pragma once
/// The reductions of a nest at one point of its parallel dims, and everything that hangs on them.
#include "cpu/emit/Point.h"

#include "llvm/ADT/MapVector.h"

namespace tensorjit::cpu {

struct ReductionPlan {
  llvm::SmallVector<unsigned> loops; ///< reduction dims that are plain loops, outer first
  int laneDim = -1;                  ///< reduction dim that runs along the lanes, innermost
  int64_t lanes = 1;
  int64_t accumulators = 1; ///< vectors in flight along laneDim, to hide the latency of an addition
};

/// Emits, phase by phase:
///
///   acc = identity
///   for r: acc = combine(acc, value(r)); store what varies over r and is known, scans being acc
///   result = combine lanes of acc
///
/// and then the stores of results that are uniform over the reduction dims.
class ReductionLoops {
public:
  ReductionLoops(Emission &emission, const Space &space, const Body &body, const ReductionPlan &plan);

  /// All parallel dims of the points are bound. Several points are neighbours whose accumulators live side by side.
  void emit(llvm::MutableArrayRef<Point> points);

private:
  /// One value or two (arg_reduce) of each reduction and scan of this phase, of each point.
  using Accumulators = Values;

  unsigned storePhase(unsigned output) const;
  void emitPhase(llvm::MutableArrayRef<Point> points);
  bool hasWork() const;
  void storeUniform(llvm::MutableArrayRef<Point> points);
  Accumulators identities(size_t pointCount, int64_t lanes);
  Accumulators combineAll(mlir::ValueRange left, mlir::ValueRange right, bool roundedOnly);
  Accumulators freshWhereRounded(mlir::ValueRange accumulators);
  void planChains();
  void planRising();
  void startRising(llvm::MutableArrayRef<Point> points, Accumulators &accumulators);

  Accumulators level(unsigned depth, llvm::ArrayRef<Point> points, mlir::ValueRange accumulators);
  Accumulators iteration(unsigned depth, llvm::ArrayRef<Point> points, mlir::Value i, mlir::ValueRange accumulators);
  Accumulators innermost(llvm::ArrayRef<Point> points, mlir::ValueRange accumulators);
  Accumulators alongLanes(const Point &point, mlir::ValueRange accumulators);
  Accumulators vectors(const Point &point, mlir::Value lo, mlir::Value hi, int64_t count,
                       mlir::ValueRange accumulators);
  Accumulators visit(llvm::MutableArrayRef<Point> points, mlir::ValueRange accumulators);
  mlir::Value scanPoint(Point &point, kernel::ScanOp scan, mlir::Value old);

  void planKept();
  void findKept(llvm::SmallVector<std::pair<mlir::Value, unsigned>> used);
  mlir::Value keptIndex(Point &point) const;
  void loadKept(Point &point);
  void storeKept(Point &point);

  template <class Function> void forEachAccumulator(size_t pointCount, Function function);

  Emission &emission_;
  const Space &space_;
  const Body &body_;
  const ReductionPlan &plan_;
  unsigned phase_ = 0;
  llvm::SmallVector<mlir::Operation *> reductions_; ///< of this phase
  llvm::SmallVector<unsigned> outputs_;             ///< stored in this phase's loops
  llvm::SmallVector<kernel::CheckIndexOp> checks_;
  bool rounded_ = false;
  bool reverse_ = false; ///< scans run from the end of the reduction dim
  /// Arg reductions that meet their indices in rising order, so that none but the first point decides a tie.
  llvm::SmallVector<mlir::Operation *> rising_;
  /// Transcendentals that a later visit uses again wait in scratch, one element for each reduction point.
  llvm::MapVector<mlir::Value, mlir::Value> kept_;
  llvm::SmallVector<bool> fresh_; ///< whether a loop's iterations sum into accumulators of their own
};

} // namespace tensorjit::cpu
