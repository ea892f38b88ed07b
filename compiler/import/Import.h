#pragma once
#include "graph/Graph.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tensorjit {

/// On arguments and results of a function: the order of the dims in memory, outermost first.
constexpr llvm::StringLiteral orderAttr = "tj.order";
/// On arguments of a function for another device than the CPU: a number that the caller has on the host.
constexpr llvm::StringLiteral onHostAttr = "tj.on_host";

/// A recorded graph as a function of `tj` ops, one op a node:
///
///   func.func @graph(%0: tensor<4xf32>, %1: tensor<4xf32>) -> (tensor<4xf32> {tj.updates = 0 : i64}) {
///     %2 = tj.add %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("model.cpp":41:0)
///     return %2 : tensor<4xf32>
///   }
///
/// `tj.updates` names the argument whose memory a result goes back into; an op that checks indices has its number among
/// such ops as `tj.check`.
/// An input that is not row-major is an argument of the type that lies in memory, `tj.order` says which dim is where:
///
///   func.func @graph(%0: tensor<8x7x7x64xf32> {tj.order = array<i64: 0, 2, 3, 1>}) ... {
///     %1 = tj.permute %0 {dims = array<i64: 0, 3, 1, 2>} : (tensor<8x7x7x64xf32>) -> tensor<8x64x7x7xf32>
///
/// and so is a result that goes back into one. compiler/layout gives other results orders in the same way.
mlir::OwningOpRef<mlir::ModuleOp> importGraph(mlir::MLIRContext *context, const Graph &graph);

} // namespace tensorjit
