#pragma once

namespace tensorjit::bench {

/// Multiply-adds from registers alone on this thread, as GFLOP/s: what a kernel's speed is a share of. The clock and
/// neighbours on the machine change it, so measure it in the same run.
double measureFmaPeak(double seconds);

} // namespace tensorjit::bench
