#pragma once
#include "RawTensor.h"

#include <optional>

namespace tensorjit::run {

/// How far a result may be from its expected value e: atol + rtol * |e| + ulp * U(e), where U is the spacing of the
/// result's dtype at e. Without any of them, bits must be equal (any NaN equals any NaN).
struct Bound {
  char cls = 'E';
  double ulp = 0, rtol = 0, atol = 0;
  const RawTensor *atolPerElement = nullptr;

  bool exact() const { return ulp == 0 && rtol == 0 && atol == 0 && !atolPerElement; }
  /// Signs of zero count.
  bool signedZero() const { return cls == 'E' || (cls == 'M' && rtol == 0 && atol == 0 && !atolPerElement); }
};

/// What is wrong with `result`: its first difference in row-major order and how many there are. None when it passes.
std::optional<std::string> difference(const RawTensor &result, const RawTensor &expected, const Bound &bound);

} // namespace tensorjit::run
