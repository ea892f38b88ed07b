#pragma once
/// The passes of this folder.
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace tensorjit::layout {

using namespace mlir; // NOLINT

/// What decides the width of packed panels.
struct VectorUnit {
  int bytes = 64;
  int registers = 32;
};

/// Whether whoever uses the value follows a change of its memory order: a nest, or the caller of the function where it
/// gets fresh memory. Images alone are handed out in another order.
bool followsOrder(OpOperand &use);

/// Takes views between nests away: a nest that works on a flattened tensor works on its dims instead, so that they can
/// be ordered.
void splitDimsAtViews(func::FuncOp function);

/// Gives intermediate tensors the memory order that their producers and readers walk in: images of convolutions become
/// NHWC. Arguments lie as `tj.order` says; results that are images may be given an order, which it then says too.
void chooseStorageOrder(func::FuncOp function);

/// Walks each nest in the order of its largest result, reduction dims last.
void orderDims(func::FuncOp function);

/// Copies the first operand of a contraction to be read along the reduction, where the CPU's cache does not hold the
/// lines of steps as wide as they lie.
void turnOperands(func::FuncOp function);

/// Copies the second operand of a contraction into panels of the register tile's width where it is not read well in
/// place. Without a `unit`, whole and row-major, where it is contiguous along no dim that matters.
void packOperands(func::FuncOp function, std::optional<VectorUnit> unit);

/// Stores values of f16 and bf16 as such where nests made them f32 for others, which widen what they read.
void storeHalves(func::FuncOp function);

/// Stores positions of elements, as those of maxima, in 16 or 32 bits where these suffice and nests alone read them.
void storeIndices(func::FuncOp function);

} // namespace tensorjit::layout
