#pragma once
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"

namespace tensorjit::nest {

using namespace mlir; // NOLINT

/// Simplifies with the knowledge that dim i lies in [0, sizes[i]): `(i * 4 + j) floordiv 4` is `i` where j < 4.
AffineExpr simplify(AffineExpr expr, ArrayRef<int64_t> sizes);
AffineMap simplify(AffineMap map, ArrayRef<int64_t> sizes);

/// The value of an expression of the dims of a nest with these sizes, as i64 arithmetic in its body.
Value materialize(OpBuilder &builder, Location loc, AffineExpr expr, ArrayRef<int64_t> sizes);

/// Row-major position of an index in a tensor of these sizes, and back.
AffineExpr linearize(ArrayRef<AffineExpr> index, ArrayRef<int64_t> sizes, MLIRContext *context);
SmallVector<AffineExpr> delinearize(AffineExpr position, ArrayRef<int64_t> sizes);

} // namespace tensorjit::nest
