#pragma once
/// The passes of this folder.
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tensorjit::schedule_steps {

using namespace mlir; // NOLINT

/// Long reductions with few results become partial ones over fixed chunks and a nest that combines them. The chunks
/// depend on sizes alone, so that results do not depend on the number of threads. Contractions of too few blocks for
/// that many multiprocessors are split too. Returns whether there were any.
bool splitReductions(func::FuncOp function, int64_t multiprocessors);

/// Partial sums of what a pointwise nest makes for others too are taken while it is made, one reading of memory less.
void sumWhereMade(func::FuncOp function);

/// Nests that make large tensors and nests that read them slice by slice become one kernel.chain.
void chainNests(func::FuncOp function);

/// Writes the form of each nest into its attribute `schedule`.
void nameForms(func::FuncOp function);

} // namespace tensorjit::schedule_steps
