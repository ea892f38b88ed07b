#include "eager/loops/Keys.h"

namespace tensorjit::eager::TENSORJIT_LEVEL {

namespace {

template <class K> constexpr K top = K(1) << (8 * sizeof(K) - 1);

template <class K, class T> [[gnu::always_inline]] inline K keyOf(T x) {
  if constexpr (T(0.5) == T(0)) return static_cast<K>(x) ^ (T(-1) < T(0) ? top<K> : K(0));
  else {
    K bits;
    __builtin_memcpy(&bits, &x, sizeof x);
    const K ordered = bits & top<K> ? ~bits : bits | top<K>;
    return x != x ? ~K(0) : x == 0 ? top<K> : ordered;
  }
}

template <class K, class T> void keys(const void *from, int64_t stride, int64_t n, bool descending, K *to) {
  const T *x = static_cast<const T *>(from);
  const K flip = descending ? ~K(0) : K(0);
  if (stride == 1)
    for (int64_t i = 0; i < n; ++i) to[i] = keyOf<K>(x[i]) ^ flip;
  else
    for (int64_t i = 0; i < n; ++i) to[i] = keyOf<K>(x[i * stride]) ^ flip;
}

template <class K> int64_t firstBelow(const K *keys, int64_t from, int64_t n, K bound) {
  constexpr int64_t block = 64;
  for (; from + block <= n; from += block) {
    unsigned char any = 0;
    for (int64_t i = 0; i < block; ++i) any |= keys[from + i] < bound;
    if (any) break;
  }
  for (; from < n; ++from)
    if (keys[from] < bound) return from;
  return n;
}

} // namespace

void orderKeys32(DType type, const void *x, int64_t stride, int64_t n, bool descending, uint32_t *to) {
  switch (type) {
  case DType::F32: return keys<uint32_t, float>(x, stride, n, descending, to);
  case DType::I32: return keys<uint32_t, int32_t>(x, stride, n, descending, to);
  case DType::I8: return keys<uint32_t, int8_t>(x, stride, n, descending, to);
  default: return keys<uint32_t, uint8_t>(x, stride, n, descending, to);
  }
}
void orderKeys64(DType type, const void *x, int64_t stride, int64_t n, bool descending, uint64_t *to) {
  if (type == DType::F64) return keys<uint64_t, double>(x, stride, n, descending, to);
  return keys<uint64_t, int64_t>(x, stride, n, descending, to);
}

int64_t firstBelow32(const uint32_t *keys, int64_t from, int64_t n, uint32_t bound) {
  return firstBelow(keys, from, n, bound);
}
int64_t firstBelow64(const uint64_t *keys, int64_t from, int64_t n, uint64_t bound) {
  return firstBelow(keys, from, n, bound);
}

} // namespace tensorjit::eager::TENSORJIT_LEVEL
