#pragma once
#include "tensorjit/tensor.h"

namespace tensorjit::run {

/// A tensor from the command line: `2x2xf32=1,2,3,4`, `f32=7` (no dims), `4xi64=3` (one value for all), or `@x.npy`.
/// Throws `Error` that names what is wrong.
Tensor parseTensor(const std::string &text);

/// The same notation, in full.
std::string formatTensor(const Tensor &t);

} // namespace tensorjit::run
