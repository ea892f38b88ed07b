#pragma once
/// A scan whose dim runs along the lanes of vectors.
#include "cpu/emit/Emission.h"
#include "kernel/Kernel.h"

namespace tensorjit::cpu {

/// What the vectors so far add up to, in every lane, before the first.
mlir::Value prefixStart(Emission &emission, kernel::ScanOp scan, int64_t lanes);

struct PrefixStep {
  mlir::Value result; ///< the scan's value in each lane
  mlir::Value carry;  ///< for the next vector
};
/// `values` follow on what `carry` stands for; lanes that are not in `active` (null: all) count as nothing.
PrefixStep prefixLanes(Emission &emission, kernel::ScanOp scan, mlir::Value values, mlir::Value carry,
                       mlir::Value active);

} // namespace tensorjit::cpu
