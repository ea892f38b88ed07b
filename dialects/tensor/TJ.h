#pragma once
/// The `tj` dialect: what the user wrote, SSA over whole ranked tensors with value semantics. Its ops come from the op
/// records (see RecordOp.h). Element types: `i1` is bool, `ui8` is u8; `i8`, `i32`, `i64` are the signed integers
/// (signless in MLIR, as arith wants them), `f32` and `f64` the floats. Results are defined on logical row-major order;
/// layout is a later stage's choice.
#include "mlir/IR/Dialect.h"

namespace tensorjit::tj {

class TJDialect : public mlir::Dialect {
public:
  explicit TJDialect(mlir::MLIRContext *context);
  static llvm::StringRef getDialectNamespace() { return "tj"; }
};

/// Runs the shape rule of the op's record on the operand types and attributes and compares the result types.
mlir::LogicalResult verifyAgainstRecord(mlir::Operation *op);

} // namespace tensorjit::tj

MLIR_DECLARE_EXPLICIT_TYPE_ID(tensorjit::tj::TJDialect)
