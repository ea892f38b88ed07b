#include "tensorjit/nn/init.h"
#include "core/Dispatch.h"
#include "tensorjit/autograd.h"

#include <algorithm>
#include <cmath>

namespace tensorjit::nn::init {

using dispatch::CallScope;

namespace {

struct Fans {
  double in, out;
};

Fans fansOf(const CallScope &scope, const char *what, const Tensor &t) {
  if (t.dim() < 2)
    dispatch::fail<shape_error>(scope,
                                std::string(what) + ": a weight of rank 2 or more expected, got " + t.sizes().str());
  const double window =
      static_cast<double>(t.numel()) / static_cast<double>(std::max<int64_t>(1, t.size(0) * t.size(1)));
  return {static_cast<double>(t.size(1)) * window, static_cast<double>(t.size(0)) * window};
}

/// Standard deviation for uniform and normal distributions alike.
double kaiming(Nonlinearity nonlinearity, double a, Fans f, FanMode mode) {
  return calculate_gain(nonlinearity, a) / std::sqrt(mode == FanMode::In ? f.in : f.out);
}
double xavier(double gain, Fans f) { return gain * std::sqrt(2 / (f.in + f.out)); }

Tensor spread(Tensor t, double deviation, SourceLocation loc) {
  const double bound = std::sqrt(3.0) * deviation;
  return uniform_(std::move(t), -bound, bound, loc);
}

} // namespace

Tensor uniform_(Tensor t, double low, double high, SourceLocation loc) {
  NoGradGuard guard;
  return t.uniform_(low, high, loc);
}
Tensor normal_(Tensor t, double mean, double std, SourceLocation loc) {
  NoGradGuard guard;
  return t.normal_(mean, std, loc);
}
Tensor constant_(Tensor t, Scalar value, SourceLocation loc) {
  NoGradGuard guard;
  return t.fill_(value, loc);
}
Tensor zeros_(Tensor t, SourceLocation loc) { return constant_(std::move(t), 0, loc); }
Tensor ones_(Tensor t, SourceLocation loc) { return constant_(std::move(t), 1, loc); }

double calculate_gain(Nonlinearity nonlinearity, double a) {
  switch (nonlinearity) {
  case Nonlinearity::Linear:
  case Nonlinearity::Sigmoid: return 1;
  case Nonlinearity::Tanh: return 5.0 / 3;
  case Nonlinearity::ReLU: return std::sqrt(2.0);
  case Nonlinearity::LeakyReLU: return std::sqrt(2 / (1 + a * a));
  case Nonlinearity::SELU: return 3.0 / 4;
  }
  throw value_error("calculate_gain: unknown nonlinearity");
}

Tensor kaiming_uniform_(Tensor t, double a, FanMode mode, Nonlinearity nonlinearity, SourceLocation loc) {
  const CallScope scope(loc);
  return spread(t, kaiming(nonlinearity, a, fansOf(scope, "kaiming_uniform_", t), mode), loc);
}
Tensor kaiming_normal_(Tensor t, double a, FanMode mode, Nonlinearity nonlinearity, SourceLocation loc) {
  const CallScope scope(loc);
  return normal_(t, 0, kaiming(nonlinearity, a, fansOf(scope, "kaiming_normal_", t), mode), loc);
}
Tensor xavier_uniform_(Tensor t, double gain, SourceLocation loc) {
  const CallScope scope(loc);
  return spread(t, xavier(gain, fansOf(scope, "xavier_uniform_", t)), loc);
}
Tensor xavier_normal_(Tensor t, double gain, SourceLocation loc) {
  const CallScope scope(loc);
  return normal_(t, 0, xavier(gain, fansOf(scope, "xavier_normal_", t)), loc);
}

} // namespace tensorjit::nn::init
