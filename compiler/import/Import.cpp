#include "import/Import.h"

#include "op/ShapeIds.h"
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

// How input `i` lies in memory: its dims, outermost first; empty for row-major.
static Shape orderOf(const Graph &graph, int64_t i) {
  return i >= 0 && i < static_cast<int64_t>(graph.inputOrders.size()) ? graph.inputOrders[i].dims() : Shape();
}

// The type of the memory in which a tensor of `type` lies in this order.
static RankedTensorType typeInMemory(RankedTensorType type, const Shape &order) {
  SmallVector<int64_t> sizes;
  for (int64_t dim : order) sizes.push_back(type.getDimSize(dim));
  return order.empty() ? type : type.clone(sizes);
}

// A tensor whose dim i is dim dims[i] of `value`.
static Value permute(OpBuilder &builder, Value value, ArrayRef<int64_t> dims) {
  auto type = typeInMemory(cast<RankedTensorType>(value.getType()), Shape(std::span(dims.data(), dims.size())));
  Attrs attrs;
  attrs.addInts(std::span(dims.data(), dims.size()));
  Location loc = UnknownLoc::get(builder.getContext());
  return tj::createOp(builder, loc, opid::Permute, value, attrs, type)->getResult(0);
}

static SmallVector<int64_t> inverseOf(const Shape &order) {
  SmallVector<int64_t> inverse(order.rank());
  for (size_t i = 0; i < order.rank(); ++i) inverse[order[i]] = static_cast<int64_t>(i);
  return inverse;
}

static DenseI64ArrayAttr attributeOf(OpBuilder &builder, const Shape &order) {
  return builder.getDenseI64ArrayAttr(ArrayRef<int64_t>(order.begin(), order.rank()));
}

// Arguments and results lie as the graph says.
static func::FuncOp createFunction(OpBuilder &builder, const Graph &graph) {
  SmallVector<Type> inputs, outputs;
  for (uint32_t i = 0; i < graph.numInputs; ++i)
    inputs.push_back(typeInMemory(typeOf(builder.getContext(), graph.types[i]), orderOf(graph, i)));
  for (const GraphOutput &output : graph.outputs)
    outputs.push_back(
        typeInMemory(typeOf(builder.getContext(), graph.types[output.value]), orderOf(graph, output.updatesInput)));
  auto function = func::FuncOp::create(builder, UnknownLoc::get(builder.getContext()), "graph",
                                       builder.getFunctionType(inputs, outputs));
  for (uint32_t i = 0; i < graph.numInputs; ++i) {
    if (Shape order = orderOf(graph, i); !order.empty()) function.setArgAttr(i, orderAttr, attributeOf(builder, order));
    if (i < graph.hostInputs.size() && graph.hostInputs[i]) function.setArgAttr(i, onHostAttr, builder.getUnitAttr());
  }
  for (auto [i, output] : llvm::enumerate(graph.outputs)) {
    if (output.updatesInput < 0) continue;
    function.setResultAttr(i, "tj.updates", builder.getI64IntegerAttr(output.updatesInput));
    if (Shape order = orderOf(graph, output.updatesInput); !order.empty())
      function.setResultAttr(i, orderAttr, attributeOf(builder, order));
  }
  return function;
}

OwningOpRef<ModuleOp> importGraph(MLIRContext *context, const Graph &graph) {
  OpBuilder builder(context);
  auto unknown = UnknownLoc::get(context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(unknown);
  builder.setInsertionPointToEnd(module->getBody());

  func::FuncOp function = createFunction(builder, graph);
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToEnd(block);
  SmallVector<Value> values(block->getArguments());
  for (auto [i, value] : llvm::enumerate(values))
    if (Shape order = orderOf(graph, i); !order.empty()) value = permute(builder, value, inverseOf(order));
  values.resize(graph.types.size());
  int64_t checks = 0;
  for (const GraphNode &node : graph.nodes) {
    Operation *op = importNode(builder, graph, node, values);
    if (info(node.op).checksIndex) op->setAttr("tj.check", builder.getI64IntegerAttr(checks++));
    llvm::copy(op->getResults(), values.begin() + node.firstResult);
  }
  SmallVector<Value> results;
  for (const GraphOutput &output : graph.outputs) {
    Shape order = orderOf(graph, output.updatesInput);
    Value value = values[output.value];
    results.push_back(order.empty() ? value : permute(builder, value, ArrayRef(order.begin(), order.rank())));
  }
  func::ReturnOp::create(builder, unknown, results);
  return module;
}

} // namespace tensorjit
