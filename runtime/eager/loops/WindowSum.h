#pragma once
#include "eager/loops/Level.h"
#include "tensorjit/dtype.h"

#include <cstdint>

namespace tensorjit::eager {

/// Windows over a volume of depth, height and width; `low` cells of padding lie before the first of each.
struct SumWindow {
  int64_t kernel[3], stride[3], low[3], dilation[3], in[3], out[3];
};

/// Sums of the windows of one volume of f32 or f64; padding counts as 0.
TENSORJIT_LOOP(void, windowSumVolume, DType type, const void *x, const SumWindow &window, void *y)
/// Each cell's sum over the windows that cover it.
TENSORJIT_LOOP(void, windowSumBackwardVolume, DType type, const void *g, const SumWindow &window, void *dx)

} // namespace tensorjit::eager
