#pragma once
#include "cuda/IndexText.h"
#include "kernel/Uniform.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/raw_ostream.h"

namespace tensorjit::cuda {

/// Writes the device function of one nest: `nest_NAME(p0, p1, ..., block, error)`.
class NestText {
public:
  NestText(kernel::NestOp nest, std::string function);

  /// Fails, with an error at the op, where something has no CUDA form.
  llvm::LogicalResult write(llvm::raw_ostream &out);

  const std::string &function() const { return function_; }
  /// Threads of a block.
  int threads() const { return threads_; }
  /// More than the nest asks for, where it shares a kernel with others.
  void setThreads(int threads) { threads_ = threads; }
  int64_t blocks() const;
  /// Whether the function takes the error slot.
  bool checksIndex() const { return checksIndex_; }

private:
  llvm::LogicalResult writePoint();
  llvm::LogicalResult writeReduction();
  llvm::LogicalResult writeVisit(llvm::ArrayRef<mlir::Operation *> reductions, bool last);
  void defineAccumulator(mlir::Operation *reduction);
  void accumulate(mlir::Operation *reduction);
  void combineBlock(mlir::Operation *reduction);

  /// Writes what is needed for `value` and is not there yet. `onlyUniform`: the parts that stay outside a visit.
  llvm::LogicalResult define(mlir::Value value, bool onlyUniform = false);
  llvm::LogicalResult defineOp(mlir::Operation *op);
  void load(mlir::BlockArgument argument);
  llvm::LogicalResult store(unsigned output);
  std::string nameOf(mlir::Value value) const { return names_.lookup(value); }
  void name(mlir::Value value, const std::string &text, const std::string &type);
  std::string signature() const;
  /// A thread's part of a sum is long: it is summed in pieces.
  bool sumsInPieces() const { return reductionPoints_ > 128 * threads_; }
  void line(const std::string &text) { body_ += std::string(2 * depth_, ' ') + text + "\n"; }

  mutable kernel::NestOp nest_; ///< the accessors of MLIR ops are not const
  std::string function_;
  IndexText index_;
  kernel::UniformValues uniform_;
  llvm::SmallVector<unsigned> parallel_, reduction_;
  int64_t parallelPoints_ = 1, reductionPoints_ = 1;
  int threads_ = 256;
  bool checksIndex_ = false;
  llvm::SmallPtrSet<mlir::Operation *, 4> checked_; ///< index checks that are written

  std::string body_;
  unsigned depth_ = 1, counter_ = 0;
  llvm::DenseMap<mlir::Value, std::string> names_;
};

} // namespace tensorjit::cuda
