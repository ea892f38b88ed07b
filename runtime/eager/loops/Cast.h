#pragma once
#include "eager/loops/Level.h"
#include "tensorjit/dtype.h"

namespace tensorjit::eager {

using CastFn = void (*)(const void *from, void *to, int64_t n);
TENSORJIT_LOOP(CastFn, castFunction, DType from, DType to)

} // namespace tensorjit::eager
