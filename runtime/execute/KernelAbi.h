#pragma once
/// What generated code and the runtime agree on. Plain C layout; the CPU code generator emits exactly these offsets.
#include <cstdint>

namespace tensorjit {

/// What generated code may assume of every pointer to a tensor's elements, in bytes.
constexpr uintptr_t pointerAlignment = 64;
inline bool isAligned(const void *p) { return reinterpret_cast<uintptr_t>(p) % pointerAlignment == 0; }

/// First index error of a run: the smallest (op, position) wins.
struct ErrorSlot {
  int64_t set = 0;      ///< 0: no error
  int64_t check = 0;    ///< index into Executable::checks
  int64_t position = 0; ///< row-major position of the bad index in its operand
  int64_t value = 0;
};

struct KernelContext {
  ErrorSlot *error;
  void *scratch; ///< this thread's, of Step::scratchBytes, 64-byte aligned
};

/// Runs units [lo, hi) of a kernel's outermost parallel range. `buffers`: inputs, then results, in operand order.
using KernelFn = void (*)(void *const *buffers, int64_t lo, int64_t hi, KernelContext *context);

} // namespace tensorjit
