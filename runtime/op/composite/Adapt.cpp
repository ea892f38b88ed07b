#include "op/Adapt.h"
#include "core/Dispatch.h"
#include "core/InF32.h"
#include "tensorjit/ops.h"

#include <algorithm>
#include <limits>

namespace tensorjit {

bool adaptLinear(const Tensor &x, const Tensor &w, const Tensor &b, std::span<Tensor> results,
                 const SourceLocation &loc) {
  if (!x.defined() || !w.defined() || w.dim() != 1) return false;
  const Tensor bias = b.defined() && b.dim() == 0 ? reshape(b, {1}, loc) : b;
  results[0] = squeeze(linear(x, unsqueeze(w, 0, loc), bias, loc), -1, loc);
  return true;
}

bool adaptConv2d(const Tensor &x, const Tensor &w, const Tensor &b, IntPair stride, IntPair padding, IntPair dilation,
                 int64_t groups, std::span<Tensor> results, const SourceLocation &loc) {
  if (!x.defined() || x.dim() != 3) return false;
  results[0] = squeeze(conv2d(unsqueeze(x, 0, loc), w, b, stride, padding, dilation, groups, loc), 0, loc);
  return true;
}

bool adaptMaxPool2d(const Tensor &x, IntPair kernel, std::optional<IntPair> stride, IntPair padding, IntPair dilation,
                    bool ceilMode, std::span<Tensor> results, const SourceLocation &loc) {
  if (!x.defined() || x.dim() != 3) return false;
  auto [y, at] = max_pool2d_with_indices(unsqueeze(x, 0, loc), kernel, stride, padding, dilation, ceilMode, loc);
  results[0] = squeeze(y, 0, loc);
  results[1] = squeeze(at, 0, loc);
  return true;
}

bool adaptConv3d(const Tensor &x, const Tensor &w, const Tensor &b, const Dims &stride, const Dims &padding,
                 const Dims &dilation, int64_t groups, std::span<Tensor> results, const SourceLocation &loc) {
  if (!x.defined() || x.dim() != 4) return false;
  results[0] = squeeze(conv3d(unsqueeze(x, 0, loc), w, b, stride, padding, dilation, groups, loc), 0, loc);
  return true;
}

bool adaptMaxPool3d(const Tensor &x, const Dims &kernel, const std::optional<Dims> &stride, const Dims &padding,
                    const Dims &dilation, bool ceilMode, std::span<Tensor> results, const SourceLocation &loc) {
  if (!x.defined() || x.dim() != 4) return false;
  auto [y, at] = max_pool3d_with_indices(unsqueeze(x, 0, loc), kernel, stride, padding, dilation, ceilMode, loc);
  results[0] = squeeze(y, 0, loc);
  results[1] = squeeze(at, 0, loc);
  return true;
}

bool adaptPow(const Operand &a, const Operand &b, std::span<Tensor> results, const SourceLocation &loc) {
  if (b.isTensor() || !a.isTensor() || !a.tensor().defined()) return false;
  const Tensor &x = a.tensor();
  const bool wholeExponent = b.scalar().kind() != Scalar::Kind::Float;
  if (!isFloat(x.dtype()) && wholeExponent && b.scalar().toInt() < 0) {
    const dispatch::CallScope scope(loc);
    dispatch::fail<value_error>(scope, "pow: integers to the negative power " + std::to_string(b.scalar().toInt()));
  }
  if (x.dtype() == DType::Bool || (!isFloat(x.dtype()) && !wholeExponent)) return false;
  const double e = b.scalar().toDouble();
  if (e == 1) results[0] = mul(x, 1, loc);
  else if (e == 2) results[0] = square(x, loc);
  else if (e == 3 && isHalf(x.dtype())) {
    const dispatch::CallScope scope(loc);
    const Tensor wide = dispatch::widened(x, scope);
    results[0] = dispatch::narrowed(mul(mul(wide, wide, loc), wide, loc), x.dtype(), scope);
  } else if (e == 3) results[0] = mul(mul(x, x, loc), x, loc);
  else if (e == -1) results[0] = reciprocal(x, loc);
  else return false;
  return true;
}

/// The amount as a number that every dtype holds: 64 is beyond the width of all, as a negative one is.
static std::optional<int> amountOf(const Operand &b) {
  if (b.isTensor() || b.scalar().kind() == Scalar::Kind::Float) return std::nullopt;
  const int64_t amount = b.scalar().toInt();
  if (amount >= 0 && amount <= 64) return std::nullopt;
  return 64;
}

bool adaptShiftLeft(const Operand &a, const Operand &b, std::span<Tensor> results, const SourceLocation &loc) {
  const auto amount = amountOf(b);
  if (amount) results[0] = bitwise_left_shift(a, *amount, loc);
  return amount.has_value();
}
bool adaptShiftRight(const Operand &a, const Operand &b, std::span<Tensor> results, const SourceLocation &loc) {
  const auto amount = amountOf(b);
  if (amount) results[0] = bitwise_right_shift(a, *amount, loc);
  return amount.has_value();
}

} // namespace tensorjit
