#pragma once
#include "eager/EagerCall.h"

namespace tensorjit::eager {

/// Runs the eager kernel of `call.op`. Tensors of a dtype that is only stored (f16, bf16, i16) are brought to the dtype
/// in which they compute first, and results rounded once at the end, unless the kernel reads and writes them itself.
void runKernel(const EagerCall &call);

} // namespace tensorjit::eager
