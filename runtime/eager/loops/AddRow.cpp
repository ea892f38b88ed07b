#include "eager/loops/AddRow.h"

namespace tensorjit::eager::TENSORJIT_LEVEL {

template <class T> static void add(void *y, const void *x, int64_t n) {
  T *__restrict to = static_cast<T *>(y);
  const T *__restrict from = static_cast<const T *>(x);
  for (int64_t i = 0; i < n; ++i) to[i] = static_cast<T>(to[i] + from[i]);
}

void addRow(DType type, void *y, const void *x, int64_t n) {
  switch (type) {
  case DType::F32: return add<float>(y, x, n);
  case DType::F64: return add<double>(y, x, n);
  case DType::I64: return add<uint64_t>(y, x, n);
  case DType::I32: return add<uint32_t>(y, x, n);
  default: return add<uint8_t>(y, x, n); // i8 wraps to the same bits
  }
}

} // namespace tensorjit::eager::TENSORJIT_LEVEL
