#pragma once

namespace tensorjit::bench {

/// f32 operations a second (a fused multiply-add is two) of a loop of independent register FMAs on `threads` threads
/// at once: the limit that kernels are measured against.
double fmaPeak(int threads);

} // namespace tensorjit::bench
