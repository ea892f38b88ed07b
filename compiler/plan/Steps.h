#pragma once
/// The steps of a compiled function: ops with work of their own, and the memory that they read and write.
#include "kernel/Kernel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

#include <vector>

namespace tensorjit::plan {

using namespace mlir; // NOLINT

/// The value whose memory `value` is: views have none of their own.
Value rootOf(Value value);

/// Every op but views and the return.
std::vector<Operation *> stepsOf(func::FuncOp function);

/// Whether the step may report an index error.
bool checksIndex(Operation *step);

/// Whether result `result` of the step may lie in the memory of its operand `value`: nothing of it is read but the
/// element that is about to be written.
bool canOverwrite(Operation *step, unsigned result, Value value);

/// A result of the function.
struct Result {
  Value root;
  int64_t updates = -1; ///< the argument whose memory it goes back into
  bool direct = false;  ///< its step writes right there; otherwise it is copied at the end
};

std::vector<Result> resultsOf(func::FuncOp function);

/// Decides which results are direct and brings the steps in order: data first, then state as late as possible: behind
/// every other reader of the old state and behind every index check.
std::vector<Operation *> orderSteps(func::FuncOp function, std::vector<Result> &results);

} // namespace tensorjit::plan
