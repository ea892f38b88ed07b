#pragma once
#include "eager/loops/Level.h"
#include "tensorjit/dtype.h"

#include <cstdint>

namespace tensorjit::eager {

struct PoolWindow {
  int64_t kernel[2], stride[2], padding[2], dilation[2]; ///< of height and width
};

/// One image plane: the value and position of each window's winner. NaN wins; the first among equals.
TENSORJIT_LOOP(void, maxPoolPlane, DType type, const void *x, int64_t h, int64_t w, const PoolWindow &window, void *y,
               int64_t *indices, int64_t outH, int64_t outW)

} // namespace tensorjit::eager
