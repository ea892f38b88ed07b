#pragma once
#include "eager/loops/Level.h"
#include "tensorjit/dtype.h"

#include <cstdint>

namespace tensorjit::eager {

/// Of depth, height and width; a plane is a volume of depth 1.
struct PoolWindow {
  int64_t kernel[3], stride[3], padding[3], dilation[3];
};
struct PoolSizes {
  int64_t in[3], out[3];
};

/// One volume: the value and position of each window's winner. NaN wins; the first among equals.
TENSORJIT_LOOP(void, maxPoolVolume, DType type, const void *x, const PoolWindow &window, const PoolSizes &sizes,
               void *y, int64_t *indices)

} // namespace tensorjit::eager
