#pragma once
#include "eager/EagerCall.h"

namespace tensorjit::eager {

/// The eager kernel of every op whose record has an `expr`: broadcasts the operands against the results and hands dense
/// runs to the op's loop (eager/loops/Pointwise.h).
void pointwise(const EagerCall &call);

} // namespace tensorjit::eager
