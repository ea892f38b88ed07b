#pragma once
/// What the folders share. They obey the op contract's list of allowed rewrites: x*1, x/1, x+(-0), x-(+0) and --x go
/// away; x+0, x*0, x-x and x/x stay, since they differ for -0, NaN and infinities.
#include "op/OpInfo.h"

#include "mlir/IR/Value.h"

#include <optional>

namespace tensorjit::tj {

/// The number that a splat holds, after rounding to its dtype: integers and bool exactly in `integer`.
struct SplatNumber {
  DType dtype;
  double number;
  int64_t integer;

  bool isOne() const { return isFloat(dtype) ? number == 1 : integer == 1; }
  bool isZero(bool negative) const;
};

/// The op that made `value` where that is `op`, else null.
mlir::Operation *producedBy(mlir::Value value, OpId op);

/// The number behind `value`, which is a `full` or a view of one.
std::optional<SplatNumber> splatNumber(mlir::Value value);

/// The number at another dtype, by the rules of `cast`.
SplatNumber castNumber(const SplatNumber &x, DType to);

} // namespace tensorjit::tj
