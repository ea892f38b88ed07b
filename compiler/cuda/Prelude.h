#pragma once

namespace tensorjit::cuda {

/// What generated kernels call: NaN-keeping extremes, rounding down, reductions over a block, the error slot.
const char *prelude();

} // namespace tensorjit::cuda
