#pragma once
#include "mlir/IR/Types.h"

namespace tensorjit::kernel {

/// f16 and bf16: elements are stored so, and computed in f32.
inline bool isHalf(mlir::Type element) { return element.isF16() || element.isBF16(); }

} // namespace tensorjit::kernel
