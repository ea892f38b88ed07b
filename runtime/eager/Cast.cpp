#include "eager/Cast.h"
#include "eager/loops/Cast.h"

#include <algorithm>
#include <cstring>

namespace tensorjit::eager {

void castDense(const void *from, DType fromType, void *to, DType toType, int64_t n) {
  if (fromType == toType && isHalf(toType)) {
    std::memcpy(to, from, static_cast<size_t>(n) * itemSize(toType));
    return;
  }
  if (CastFn direct = castFunctionBest(fromType, toType)) return direct(from, to, n);
  // f16 and bf16 meet the others in f32.
  const CastFn first = castFunctionBest(fromType, DType::F32), second = castFunctionBest(DType::F32, toType);
  constexpr int64_t block = 1024;
  float wide[block];
  for (int64_t at = 0; at < n; at += block) {
    const int64_t m = std::min(block, n - at);
    const size_t start = static_cast<size_t>(at);
    first(static_cast<const char *>(from) + start * itemSize(fromType), wide, m);
    second(wide, static_cast<char *>(to) + start * itemSize(toType), m);
  }
}

} // namespace tensorjit::eager
