#pragma once
/// Nests that are tested at small sizes and timed at real ones.
#include <array>
#include <cstdint>
#include <string>

namespace tensorjit::cpu::test {

using Sizes = std::array<int64_t, 7>;

/// Puts sizes in the place of A, B, ... G, where they stand alone or beside 'x'; letters inside words stay.
std::string fill(std::string nest, const Sizes &sizes);

/// 3x3, padding 1, of A images [E, C, B], channels last, to D channels; weights in F panels of 32; bias and relu.
extern const char *const convolution;
/// The same without bias and relu: also the gradient of the input.
extern const char *const plainConvolution;
/// Of A images [E, C, B] and gradients [E, C, D], in F chunks of G images.
extern const char *const convolutionWeightGradient;
/// [A, C] by [C, B], B in D panels of 64, with bias and relu.
extern const char *const packedMatmul;
/// [A, C] by [C, B].
extern const char *const plainMatmul;
/// The same with the first operand stored as [C, A].
extern const char *const transposedMatmul;

} // namespace tensorjit::cpu::test
