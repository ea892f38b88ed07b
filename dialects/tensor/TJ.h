#pragma once
/// The `tj` dialect: what the user wrote, over whole tensors. Its ops come from the op records; the classes of a family
/// are in tensor/<Family>Ops.h (built), so that a file includes only the families it names.
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"

namespace tensorjit::tj {

/// Runs the shape rule of the op's record on the operand types and attributes and compares the result types.
mlir::LogicalResult verifyAgainstRecord(mlir::Operation *op);

template <class Op> class VerifiedByRecord : public mlir::OpTrait::TraitBase<Op, VerifiedByRecord> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return verifyAgainstRecord(op); }
};

} // namespace tensorjit::tj

#include "tensor/TJDialect.h.inc"
