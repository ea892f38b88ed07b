#pragma once
#include "tensorjit/tensor.h"

namespace tensorjit {

/// x - mean(x) over dims, and the mean. The first element is subtracted before the mean is taken: equal elements give
/// exactly 0, and a mean far from 0 costs no digits.
struct Centred {
  Tensor values, mean; ///< the mean keeps the reduced dims, with size 1
};
Centred centred(const Tensor &x, const Shape &dims);

} // namespace tensorjit
