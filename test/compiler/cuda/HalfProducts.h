#pragma once
#include <cstdint>
#include <string>

namespace tensorjit::cuda::test {

/// A batch of matrix products of f16 or bf16, whose sums are delivered in f32 and rounded.
struct HalfProduct {
  std::string type;
  int64_t batch, m, n, k;
  bool aAlongK = true, bAlongK = true; ///< how the operands lie

  std::string nest() const;
};

} // namespace tensorjit::cuda::test
