// Code as a compiler makes it: a shared object with a kernel.
#include "execute/KernelAbi.h"

/// out = x + hook, both of int64. Each element of `hook` is the address of a function that is called first: the test is
/// then inside of the code.
extern "C" void addHook(void *const *buffers, int64_t lo, int64_t hi, tensorjit::KernelContext *) {
  auto *x = static_cast<const int64_t *>(buffers[0]), *hook = static_cast<const int64_t *>(buffers[1]);
  auto *out = static_cast<int64_t *>(buffers[2]);
  reinterpret_cast<void (*)()>(hook[0])();
  for (int64_t i = lo; i < hi; ++i) out[i] = x[i] + hook[i];
}
