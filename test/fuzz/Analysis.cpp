#include "Analysis.h"

#include "Rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tensorjit::fuzz {

Fact factOf(const Tensor &t) {
  Fact f;
  f.sizes = t.sizes();
  f.dtype = t.dtype();
  f.requiresGrad = t.requires_grad();
  f.whole = true;
  const Tensor x = t.detach().to(kDouble).contiguous();
  const double *data = x.data_ptr<double>();
  int64_t infinite = 0;
  for (int64_t i = 0; i < x.numel(); ++i) {
    if (!std::isfinite(data[i])) ++infinite;
    else f.largest = std::max(f.largest, std::abs(data[i]));
    f.whole &= std::isfinite(data[i]) && data[i] == std::floor(data[i]);
  }
  f.notFinite = x.numel() ? static_cast<double>(infinite) / static_cast<double>(x.numel()) : 0;
  return f;
}

Tensor Analysis::operand(size_t step, const Tensor &t) {
  if (program_.steps[step].kind == Kind::Sample) read_.push_back(factOf(t));
  return t;
}

/// Of a step that reads nothing but exact values.
bool Analysis::keepsBits(size_t at, const Fact &result) const {
  const Step &step = program_.steps[at];
  if (step.kind == Kind::Backward || step.kind == Kind::Optimize) return false;
  if (step.kind != Kind::Sample && step.kind != Kind::Pointwise) return true;
  if (rows()[step.row].cls != OpClass::T) return true;
  if (!isFloat(result.dtype)) return true;
  // Sums of whole numbers below 2^24 are exact in any order.
  if (!addsUp(step.row) || !result.whole || result.largest > 0x1p24) return false;
  double bound = 1;
  int64_t most = 1;
  for (const Fact &f : read_) {
    if (!f.whole) return false;
    bound *= std::max(1.0, f.largest);
    most = std::max(most, f.sizes.numel());
  }
  return bound * static_cast<double>(most) < 0x1p24;
}

Tensor Analysis::result(size_t at, const Tensor &t) {
  const Step &step = program_.steps[at];
  Fact f = factOf(t);
  f.root = static_cast<int>(at);
  f.exact = f.exactOnCuda = true;
  for (int v : step.operands) {
    f.exact &= facts_[static_cast<size_t>(v)].exact;
    f.exactOnCuda &= facts_[static_cast<size_t>(v)].exactOnCuda;
  }
  for (int v : step.operands) f.open |= facts_[static_cast<size_t>(v)].open;
  if (step.kind == Kind::Sample && std::strstr(rows()[step.row].text, "conv"))
    for (const Fact &read : read_) f.open |= read.notFinite > 0;
  const bool keeps = keepsBits(at, f);
  f.exact &= keeps;
  f.exactOnCuda &= keeps;
  const bool library =
      step.kind == Kind::InPlace || step.kind == Kind::Number || step.kind == Kind::Draw ||
      ((step.kind == Kind::Sample || step.kind == Kind::Pointwise) && rows()[step.row].cls != OpClass::E);
  if (library && f.dtype == DType::F64) f.exactOnCuda = false;
  const bool mayShare = step.kind == Kind::View || step.kind == Kind::InPlace || step.kind == Kind::Optimize ||
                        step.kind == Kind::Cast || step.kind == Kind::Detach ||
                        (step.kind == Kind::Sample && rows()[step.row].cls == OpClass::E);
  if (mayShare && !step.operands.empty()) f.root = facts_[static_cast<size_t>(step.operands[0])].root;
  facts_[at] = f;
  if (step.kind == Kind::InPlace || step.kind == Kind::Optimize)
    for (Fact &other : facts_)
      if (other.root == f.root) {
        other.exact &= f.exact;
        other.exactOnCuda &= f.exactOnCuda;
        other.open |= f.open;
      }
  read_.clear();
  return t;
}

} // namespace tensorjit::fuzz
