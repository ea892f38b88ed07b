#pragma once
#include "tensorjit/nn/init.h"

#include <cmath>

namespace tensorjit::nn {

/// torch's choice for linear layers and convolutions: weights from He's rule with a = sqrt(5), which is 1/sqrt(fan_in)
/// for both.
inline void resetUniform(const Tensor &weight, const Tensor &bias) {
  init::kaiming_uniform_(weight, std::sqrt(5.0));
  if (!bias.defined()) return;
  const double fanIn = static_cast<double>(weight.numel() / weight.size(0));
  const double bound = fanIn > 0 ? 1 / std::sqrt(fanIn) : 0;
  init::uniform_(bias, -bound, bound);
}

} // namespace tensorjit::nn
