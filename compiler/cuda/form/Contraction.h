#pragma once
/// Sums of products whose operands each lack some of the result's dims: matrix products, convolutions, their gradients.
#include "cuda/form/Form.h"
#include "cuda/form/Vectors.h"

#include <optional>

namespace tensorjit::cuda {

/// How a block reads an operand: some neighbours at a time, along its own dims or along the reduced ones.
struct Staging {
  bool alongReduced = false;
  bool isVector = false; ///< they are one access
};

struct Contraction {
  nest::Space space;
  kernel::ReduceOp sum;
  unsigned a, b;                                             ///< inputs
  llvm::SmallVector<unsigned> batch, rows, columns, reduced; ///< dims, outermost first
  Lanes lanes;                                               ///< of the innermost column dim
  Staging stageA, stageB;
  int64_t unit = 4; ///< neighbours that are read at a time

  int64_t points(llvm::ArrayRef<unsigned> dims) const;
  /// Operands of f16 or bf16, multiplied in f32.
  bool isHalf() const;
  /// Takes the innermost column dim apart for runs of `width` results, where they can be written at once.
  void splitColumns(int64_t width);
};

/// The space as a contraction, with its dims in the order in which tiles run through them.
std::optional<Contraction> matchContraction(const nest::Space &space);

/// A tile of results a block, its operands staged in shared memory, and a part of the tile in each thread's registers.
std::unique_ptr<Form> makeContractionForm(const nest::Space &space);
/// What the kernels of f32 and f64 call, and those of f16 and bf16.
const char *contractionPrelude();
const char *tensorCorePrelude();

} // namespace tensorjit::cuda
