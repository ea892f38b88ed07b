#pragma once

namespace tensorjit::eager {

/// Functions of f64 that the C library lacks, or has with a state of its own. Within a few units of the last place.
double lgammaF64(double x);
double digammaF64(double x);
double erfinvF64(double x);

} // namespace tensorjit::eager
