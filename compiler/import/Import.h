#pragma once
#include "graph/Graph.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tensorjit {

/// A recorded graph as a function of `tj` ops, one op a node:
///
///   func.func @graph(%0: tensor<4xf32>, %1: tensor<4xf32>) -> (tensor<4xf32> {tj.updates = 0 : i64}) {
///     %2 = tj.add %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("model.cpp":41:0)
///     return %2 : tensor<4xf32>
///   }
///
/// `tj.updates` names the argument whose memory a result goes back into; an op that checks indices has its number among
/// such ops as `tj.check`.
mlir::OwningOpRef<mlir::ModuleOp> importGraph(mlir::MLIRContext *context, const Graph &graph);

} // namespace tensorjit
