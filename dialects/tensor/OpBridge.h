#pragma once
/// Between a `tj` op and a node of a recorded graph: the same op, operands and attributes in two forms. Element types:
/// bool is `i1`, u8 is `ui8`; the other integers are signless.
#include "op/OpInfo.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

#include <optional>

namespace tensorjit::tj {

/// Null for a dtype that the dialect does not hold (i16, f16, bf16).
mlir::Type elementType(mlir::MLIRContext *context, DType dtype);
std::optional<DType> dtypeOf(mlir::Type elementType);

/// Null as above.
mlir::RankedTensorType tensorType(mlir::MLIRContext *context, const TensorType &type);
/// Empty for types that are no tensor of the dialect, and for dynamic sizes.
std::optional<TensorType> tensorTypeOf(mlir::Type type);

/// The attributes of a recorded call, by the names of its record.
mlir::NamedAttrList attributesOf(mlir::MLIRContext *context, OpId op, const Attrs &attrs);

mlir::Operation *createOp(mlir::OpBuilder &builder, mlir::Location loc, OpId op, mlir::ValueRange operands,
                          const Attrs &attrs, mlir::TypeRange results);

/// The recorded form of a `tj` op. False where it is none, or where an attribute is missing or of another kind.
bool toGraphNode(mlir::Operation *operation, OpId &op, Attrs &attrs);

/// "tj.add"
llvm::StringRef qualifiedName(OpId op);

/// The record of a `tj` op.
std::optional<OpId> opIdOf(mlir::Operation *operation);

} // namespace tensorjit::tj
