#pragma once
#include "tensorjit/tensor.h"

/// In-place initialisers under torch's names and formulas; none is put on the tape. Each returns its tensor.
namespace tensorjit::nn::init {

Tensor uniform_(Tensor t, double low = 0, double high = 1, SourceLocation loc = SourceLocation::current());
Tensor normal_(Tensor t, double mean = 0, double std = 1, SourceLocation loc = SourceLocation::current());
Tensor constant_(Tensor t, Scalar value, SourceLocation loc = SourceLocation::current());
Tensor zeros_(Tensor t, SourceLocation loc = SourceLocation::current());
Tensor ones_(Tensor t, SourceLocation loc = SourceLocation::current());

/// Uniform in [-b, b], b = sqrt(6 / ((1 + a^2) fan_in)): He et al., "Delving deep into rectifiers", 2015. Throws
/// `shape_error` below rank 2.
Tensor kaiming_uniform_(Tensor t, double a = 0, SourceLocation loc = SourceLocation::current());
/// Normal with deviation sqrt(2 / ((1 + a^2) fan_in)).
Tensor kaiming_normal_(Tensor t, double a = 0, SourceLocation loc = SourceLocation::current());
/// Uniform in [-b, b], b = gain * sqrt(6 / (fan_in + fan_out)): Glorot and Bengio, 2010.
Tensor xavier_uniform_(Tensor t, double gain = 1, SourceLocation loc = SourceLocation::current());
Tensor xavier_normal_(Tensor t, double gain = 1, SourceLocation loc = SourceLocation::current());

} // namespace tensorjit::nn::init
