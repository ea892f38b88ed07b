#include "Model.h"
#include "tensor/OpBridge.h"
#include "tensor/TJ.h"
#include "tensorjit/error.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace tensorjit::run {
namespace {

/// Turns ops into nodes, in order.
class GraphBuilder {
public:
  Graph build(func::FuncOp function) {
    graph_.name = function.getName().str();
    for (BlockArgument argument : function.getArguments()) define(argument);
    graph_.numInputs = static_cast<uint32_t>(graph_.types.size());
    for (Operation &op : function.getBody().front()) {
      if (auto result = dyn_cast<func::ReturnOp>(op)) finish(function, result);
      else add(op);
    }
    return std::move(graph_);
  }

private:
  void define(Value value) {
    ids_[value] = static_cast<ValueId>(graph_.types.size());
    auto type = tj::tensorTypeOf(value.getType());
    if (!type) {
      std::string text;
      llvm::raw_string_ostream(text) << value.getType();
      throw Error("no tensor of static sizes: " + text);
    }
    graph_.types.push_back(*type);
  }

  void add(Operation &op) {
    GraphNode node;
    if (!tj::toGraphNode(&op, node.op, node.attrs)) throw Error(op.getName().getStringRef().str() + " is not a tj op");
    for (Value operand : op.getOperands()) node.operands.push_back(ids_.at(operand));
    node.firstResult = static_cast<ValueId>(graph_.types.size());
    node.line = line(op.getLoc());
    for (Value result : op.getResults()) define(result);
    graph_.nodes.push_back(std::move(node));
  }

  void finish(func::FuncOp function, func::ReturnOp result) {
    for (auto [i, value] : llvm::enumerate(result.getOperands())) {
      auto updates = function.getResultAttrOfType<IntegerAttr>(static_cast<unsigned>(i), "tj.updates");
      graph_.outputs.push_back({ids_.at(value), updates ? static_cast<int32_t>(updates.getInt()) : -1});
    }
  }

  uint32_t line(Location location) {
    SourceLine source;
    if (auto file = dyn_cast<FileLineColLoc>(location)) source = {file.getFilename().str(), file.getLine()};
    graph_.lines.push_back(std::move(source));
    return static_cast<uint32_t>(graph_.lines.size() - 1);
  }

  Graph graph_;
  std::map<Value, ValueId, bool (*)(Value, Value)> ids_{
      [](Value a, Value b) { return a.getAsOpaquePointer() < b.getAsOpaquePointer(); }};
};

} // namespace

Graph readModel(const std::string &path, const std::string &function) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<func::FuncDialect, tj::TJDialect>();
  std::string messages;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &d) {
    llvm::raw_string_ostream(messages) << d.getLocation() << ": " << d << "\n";
    return success();
  });
  auto module = parseSourceFile<ModuleOp>(path, &context);
  if (!module) throw Error(messages.empty() ? path + ": cannot be read" : messages);
  auto found = module->lookupSymbol<func::FuncOp>(function);
  if (!found || found.isExternal()) throw Error(path + ": no function @" + function);
  if (!found.getBody().hasOneBlock()) throw Error(path + ": @" + function + " has more than one block");
  return GraphBuilder().build(found);
}

} // namespace tensorjit::run
