#pragma once
#include "eager/loops/Level.h"
#include "tensorjit/dtype.h"

#include <cstdint>

namespace tensorjit::eager {

/// Scans that run side by side: step i of lane l is at element i * step + l * laneStride.
struct ScanLanes {
  int64_t n, step, lanes, laneStride;
};
/// The most lanes of a call: of columns, whose elements lie side by side, and of rows.
inline constexpr int64_t scanColumns = 256, scanRows = 8;

/// Running sums, or products, in f64 for floats and modulo the dtype's width for integers; with `exclusive` each leaves
/// its own element out. The running values start from `start`, one f64 a lane, where there are some.
TENSORJIT_LOOP(void, scanArithmetic, DType type, bool product, bool exclusive, const void *x, void *y,
               const ScanLanes &lanes, const double *start)
/// Running extremes and their step, counted from 0; the first NaN stays, -0 equals +0.
TENSORJIT_LOOP(void, scanExtreme, DType type, bool least, const void *x, void *y, int64_t *at, const ScanLanes &lanes)
/// log of running sums of exp(x).
TENSORJIT_LOOP(void, scanLogaddexp, DType type, const void *x, void *y, const ScanLanes &lanes)
/// y[i] = a[i] * y[i-1] + b[i] in f64, from y[0] = b[0].
TENSORJIT_LOOP(void, scanAffine, DType type, const void *a, const void *b, void *y, const ScanLanes &lanes)

} // namespace tensorjit::eager
