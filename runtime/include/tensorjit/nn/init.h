#pragma once
#include "tensorjit/tensor.h"

/// In-place initialisers under torch's names and formulas; none is put on the tape. Each returns its tensor.
namespace tensorjit::nn::init {

Tensor uniform_(Tensor t, double low = 0, double high = 1, SourceLocation loc = SourceLocation::current());
Tensor normal_(Tensor t, double mean = 0, double std = 1, SourceLocation loc = SourceLocation::current());
Tensor constant_(Tensor t, Scalar value, SourceLocation loc = SourceLocation::current());
Tensor zeros_(Tensor t, SourceLocation loc = SourceLocation::current());
Tensor ones_(Tensor t, SourceLocation loc = SourceLocation::current());

/// Which side of a layer keeps its variance: inputs going forward, or gradients going backward. A weight's fan_in is
/// its size(1) times the window (sizes from 2 on), fan_out size(0) times the window.
enum class FanMode { In, Out };
/// What follows the layer.
enum class Nonlinearity { Linear, Sigmoid, Tanh, ReLU, LeakyReLU, SELU };
/// By how much a layer's weights are to be larger because of what follows: 1, 1, 5/3, sqrt(2), sqrt(2 / (1 + a^2)),
/// 3/4.
double calculate_gain(Nonlinearity nonlinearity, double a = 0.01);

/// Uniform in [-b, b], b = gain * sqrt(3 / fan), gain = calculate_gain(nonlinearity, a): He et al., "Delving deep into
/// rectifiers", 2015. Throws `shape_error` below rank 2.
Tensor kaiming_uniform_(Tensor t, double a = 0, FanMode mode = FanMode::In,
                        Nonlinearity nonlinearity = Nonlinearity::LeakyReLU,
                        SourceLocation loc = SourceLocation::current());
/// Normal with deviation gain / sqrt(fan).
Tensor kaiming_normal_(Tensor t, double a = 0, FanMode mode = FanMode::In,
                       Nonlinearity nonlinearity = Nonlinearity::LeakyReLU,
                       SourceLocation loc = SourceLocation::current());
/// Uniform in [-b, b], b = gain * sqrt(6 / (fan_in + fan_out)): Glorot and Bengio, 2010.
Tensor xavier_uniform_(Tensor t, double gain = 1, SourceLocation loc = SourceLocation::current());
Tensor xavier_normal_(Tensor t, double gain = 1, SourceLocation loc = SourceLocation::current());

} // namespace tensorjit::nn::init
