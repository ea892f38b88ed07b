#pragma once
/// The `kernel` dialect: fused loop nests over tensors.
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "kernel/KernelDialect.h.inc"
#include "kernel/KernelEnums.h.inc"

namespace tensorjit::kernel {
class NestOp;
class YieldOp;

/// The scalar that an element is in a nest's body: `ui8` becomes i8.
mlir::Type scalarType(mlir::Type elementType);
} // namespace tensorjit::kernel

#define GET_OP_CLASSES
#include "kernel/KernelOps.h.inc"
