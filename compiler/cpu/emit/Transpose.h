#pragma once
/// Square blocks of a nest that reads or writes along another dim than it computes along.
#include "cpu/emit/Plan.h"

namespace tensorjit::cpu {

/// Whether the access is contiguous along `cross` and walks along `lane` in steps, so that a block of it can be read or
/// written in vectors along `cross` and turned round in registers.
bool isTransposable(const Space &space, const Access &access, unsigned lane, unsigned cross);

/// With lanes along `plan.laneDim`, and other accesses contiguous along `plan.crossDim`, for each block of
/// lanes x lanes points (d, e):
///
///   for m rows: load x[d + i, e ...], turn m x m matrices round, store to scratch
///   for m columns, L / m of them at a time: load from scratch, exchange matrices, y[e + i, d ...] = f(column)
///
/// with m elements in 128 bits, within which shuffles are cheap; what is written along e goes the same way back.
/// An access that is not transposable is made at each e alone.
class TransposedBlocks {
public:
  TransposedBlocks(Emission &emission, const Space &space, const Plan &plan);

  /// Positions cross, cross + 1, ... of crossDim, at most as many as there are lanes, and all of laneDim.
  void emit(const Point &point, mlir::Value cross, int64_t crossCount);

private:
  struct Block {
    mlir::Value cross, lane;       ///< where it starts
    int64_t crossCount, laneCount; ///< points inside
    Point rows, columns;           ///< lanes along crossDim, along laneDim
  };
  struct Turned {
    const Access &access;
    size_t place; ///< among the inputs or outputs
    mlir::Value scratch;
  };

  void block(const Block &block);
  void forEachRowGroup(const Block &block, llvm::function_ref<void(mlir::Value row, int64_t count)> body);
  void readRows(const Turned &input, const Block &block);
  void writeRows(const Turned &output, const Block &block);
  void column(const Block &block, mlir::Value first);
  Values loadColumns(const Turned &input, mlir::Value first);
  void storeColumns(const Turned &output, mlir::Value first, Values columns);
  mlir::Value loadScratch(const Turned &turned, mlir::Value row);
  void storeScratch(const Turned &turned, mlir::Value row, mlir::Value value);

  Emission &emission_;
  Builder &b_;
  const Space &space_;
  const Plan &plan_;
  llvm::SmallVector<Turned> inputs_, outputs_; ///< that are transposed
  int64_t part_;                               ///< m
};

} // namespace tensorjit::cpu
