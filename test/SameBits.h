#pragma once
#include "tensorjit/tensorjit.h"

#include <cmath>
#include <cstring>

namespace tensorjit::test {

/// Same dtype, sizes and bits, where any NaN is any other.
inline bool sameBits(const Tensor &a, const Tensor &b) {
  if (a.dtype() != b.dtype() || a.sizes() != b.sizes()) return false;
  if (!isFloat(a.dtype())) return equal(a, b);
  const Tensor x = a.to(kDouble).contiguous(), y = b.to(kDouble).contiguous();
  for (int64_t i = 0; i < x.numel(); ++i) {
    const double p = x.data_ptr<double>()[i], q = y.data_ptr<double>()[i];
    if (!(std::isnan(p) && std::isnan(q)) && std::memcmp(&p, &q, sizeof p)) return false;
  }
  return true;
}

} // namespace tensorjit::test
