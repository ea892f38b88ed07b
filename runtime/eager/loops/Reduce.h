#pragma once
#include "eager/loops/Level.h"
#include "tensorjit/dtype.h"

#include <cstdint>

namespace tensorjit::eager {

/// Longest run that the sums below take: 64 lanes add at most 64 elements each, which keeps the error far inside the
/// bound of the op contract. Callers add the partial sums of longer rows in a wider type.
inline constexpr int64_t sumChunk = 4096;

TENSORJIT_LOOP(double, sumF32, const float *x, int64_t n)
TENSORJIT_LOOP(double, sumF64, const double *x, int64_t n)

/// acc[c] += x[r * stride + c] for `rows` rows, at most 64.
TENSORJIT_LOOP(void, addRowsF32, double *acc, const float *x, int64_t rows, int64_t stride, int64_t columns)

/// Largest (or smallest, with `least`) of `n` >= 1 elements as an order-preserving key, and with `at` its first
/// position. NaN is the extreme either way. Without `at`, +0 is above -0; with it they are equal.
TENSORJIT_LOOP(int64_t, extremeKey, DType type, const void *x, int64_t n, bool least, int64_t *at)

/// Whether `byte` occurs among `n` bytes that are 0 or 1.
TENSORJIT_LOOP(bool, hasByte, const unsigned char *x, int64_t n, unsigned char byte)

/// The element whose key is `key`, written to `out`.
void valueOfKey(DType type, int64_t key, void *out);

} // namespace tensorjit::eager
