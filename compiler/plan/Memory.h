#pragma once
#include "execute/Executable.h"
#include "plan/Steps.h"

namespace tensorjit::plan {

/// Where each value of the function lies.
struct MemoryPlan {
  llvm::DenseMap<Value, BufferRef> places; ///< of roots
  int64_t arenaBytes = 0;

  BufferRef of(Value value) const { return places.lookup(rootOf(value)); }
};

/// Arguments and direct results lie where the caller put them, all else in the arena from its step to its last use; a
/// value takes over the memory of an operand that dies there where the step can overwrite it.
/// `aside`: arguments that are copied into the arena before the first step, since state is written over them.
MemoryPlan planMemory(func::FuncOp function, ArrayRef<Operation *> steps, ArrayRef<Result> results,
                      ArrayRef<Value> aside, llvm::DenseMap<Value, BufferRef> &asidePlaces);

int64_t bytesOf(Type tensor);

} // namespace tensorjit::plan
