#pragma once
/// What all kernels of contractions have in common: a block computes a tile of results. It walks the reduced dims in
/// steps: the operands of a step are read into registers while the step before is computed, and then lie in one of two
/// stages of shared memory.
///
///   float sum[4][4] = {};
///   for (int k0 = 0; k0 < K + 16; k0 += 16) {
///     if (k0 < K) { a[..] = load(...); b[..] = load(...); }
///     if (k0 > 0) multiplyStage(sum, stage);
///     if (k0 < K) { stage = the other; stageQuads(stage, a); stageQuads(stage + ..., b); __syncthreads(); }
///   }
///   for (i) for (j) out0[...] = epilogue(sum[i][j]);
#include "cuda/form/Contraction.h"

namespace tensorjit::cuda {

/// Results of a block.
struct ContractionTile {
  int64_t rows, columns;
};

/// The results of a thread: `sum[h * rowWidth + i][g * width + j]` is at the `i`th row from `row`, an expression of
/// `h`, and the `j`th column from `column`, one of `g`.
struct ThreadResults {
  int64_t rowGroups, rowWidth, groups, width;
  std::string row, column;
};

class TiledContraction : public Form {
public:
  /// `step`: of the reduced dims, staged at once.
  TiledContraction(Contraction contraction, ContractionTile tile, int64_t step);

  int64_t blocks() const override;
  int64_t sharedBytes() const override;
  llvm::LogicalResult write(BodyText &text) override;

protected:
  /// Of the accumulators.
  std::string sumType() const;
  const Staging &staging(bool isA) const { return isA ? c_.stageA : c_.stageB; }

  virtual ThreadResults results() const = 0;
  /// Names that the expressions of `results` use.
  virtual void defineThread(BodyText &text) const = 0;
  /// The function that puts what was read of an operand into a stage: (stage, vectors).
  virtual std::string stageFunction(bool isA) const = 0;
  /// The function that adds the products of a stage: (sum, stage).
  virtual std::string multiplyFunction() const = 0;
  /// What is to be done with the sums before they are used.
  virtual void finish(BodyText &) const {}

  Contraction c_;
  ContractionTile tile_;
  int64_t step_;

private:
  std::string operandType() const;
  int64_t vectors(int64_t tile) const { return tile * step_ / c_.unit; }
  void defineTile(BodyText &text);
  void readOperand(BodyText &text, bool isA);
  void readVector(BodyText &text, bool isA);
  void forRun(BodyText &text, llvm::ArrayRef<unsigned> dims, const std::string &first, int64_t count,
              llvm::function_ref<void()> body);
  llvm::LogicalResult writeResults(BodyText &text);
  llvm::LogicalResult writeRun(BodyText &text, const ThreadResults &own);

  VaryingValues varying_;
};

/// Of a contraction of f32 or f64.
std::unique_ptr<Form> makePlainContraction(Contraction contraction);
/// Of f16 or bf16.
std::unique_ptr<Form> makeTensorCoreContraction(Contraction contraction);

} // namespace tensorjit::cuda
