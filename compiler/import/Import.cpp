#include "import/Import.h"

#include "tensor/OpBridge.h"
#include "tensorjit/error.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tensorjit {

static Location locationOf(MLIRContext *context, const Graph &graph, uint32_t line) {
  if (line >= graph.lines.size()) return UnknownLoc::get(context);
  return FileLineColLoc::get(context, graph.lines[line].file, graph.lines[line].line, 0);
}

static RankedTensorType typeOf(MLIRContext *context, const TensorType &type) {
  RankedTensorType tensor = tj::tensorType(context, type);
  if (!tensor) throw compile_error(std::string("the compiler has no tensors of ") + name(type.dtype));
  return tensor;
}

static Operation *importNode(OpBuilder &builder, const Graph &graph, const GraphNode &node, ArrayRef<Value> values) {
  SmallVector<Value> operands;
  SmallVector<Type> results;
  for (ValueId id : node.operands) operands.push_back(values[id]);
  for (unsigned i = 0; i < info(node.op).numResults; ++i)
    results.push_back(typeOf(builder.getContext(), graph.types[node.firstResult + i]));
  Location loc = locationOf(builder.getContext(), graph, node.line);
  return tj::createOp(builder, loc, node.op, operands, node.attrs, results);
}

OwningOpRef<ModuleOp> importGraph(MLIRContext *context, const Graph &graph) {
  OpBuilder builder(context);
  auto unknown = UnknownLoc::get(context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(unknown);
  builder.setInsertionPointToEnd(module->getBody());

  SmallVector<Type> inputs, outputs;
  for (uint32_t i = 0; i < graph.numInputs; ++i) inputs.push_back(typeOf(context, graph.types[i]));
  for (const GraphOutput &output : graph.outputs) outputs.push_back(typeOf(context, graph.types[output.value]));
  auto function = func::FuncOp::create(builder, unknown, "graph", builder.getFunctionType(inputs, outputs));
  for (auto [i, output] : llvm::enumerate(graph.outputs))
    if (output.updatesInput >= 0)
      function.setResultAttr(i, "tj.updates", builder.getI64IntegerAttr(output.updatesInput));

  Block *block = function.addEntryBlock();
  builder.setInsertionPointToEnd(block);
  SmallVector<Value> values(block->getArguments());
  values.resize(graph.types.size());
  int64_t checks = 0;
  for (const GraphNode &node : graph.nodes) {
    Operation *op = importNode(builder, graph, node, values);
    if (info(node.op).checksIndex) op->setAttr("tj.check", builder.getI64IntegerAttr(checks++));
    llvm::copy(op->getResults(), values.begin() + node.firstResult);
  }
  SmallVector<Value> results;
  for (const GraphOutput &output : graph.outputs) results.push_back(values[output.value]);
  func::ReturnOp::create(builder, unknown, results);
  return module;
}

} // namespace tensorjit
