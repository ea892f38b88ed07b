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

namespace tensorjit::kernel {
/// A nest, a group, a chain or a scatter: what becomes one kernel.
bool isKernel(mlir::Operation *op);

/// Whether the nest can run in that many slices of equal size along dim 0: it is parallel, and what is written in a
/// slice lies together.
bool isSliceable(NestOp nest, int64_t slices);

/// Whether the nest, at each point of dim 0, reads this input only at indices of its outermost dim that are the same
/// share of that dim: `n` of `n`, or `c * 8 + n` with n < 8. Any slice of the nest then reads one slice of the tensor.
bool readsOwnSlice(NestOp nest, unsigned input);
} // namespace tensorjit::kernel
