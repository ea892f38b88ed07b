#include "eager/Cast.h"
#include "eager/loops/Cast.h"

namespace tensorjit::eager {

void castDense(const void *from, DType fromType, void *to, DType toType, int64_t n) {
  castFunctionBest(fromType, toType)(from, to, n);
}

} // namespace tensorjit::eager
