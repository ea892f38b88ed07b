#pragma once
/// A compiler without code generation that leaves fresh results in another order than row-major: channels last for rank
/// 4, the last dim first for others. With it everything that may meet such a result is tested without LLVM.
#include "FakeCompiler.h"
#include "op/OpId.h"

#include <numeric>

namespace tensorjit::testing {

/// The order that fresh results of this rank get; row-major below rank 2.
inline MemoryOrder orderForTest(size_t rank) {
  if (rank < 2) return {};
  if (rank == 4) return MemoryOrder({0, 2, 3, 1});
  Shape dims;
  dims.push_back(static_cast<int64_t>(rank) - 1);
  for (size_t d = 0; d + 1 < rank; ++d) dims.push_back(static_cast<int64_t>(d));
  return MemoryOrder(dims);
}

/// The graph as one on tensors of the types that lie in memory, with permutes at its edges.
class Reordering {
public:
  explicit Reordering(const Graph &from) : from_(from) {}

  Executable compile() {
    graph_.lines = from_.lines;
    graph_.name = from_.name;
    graph_.numInputs = from_.numInputs;
    renamed_.resize(from_.types.size());
    for (uint32_t i = 0; i < from_.numInputs; ++i)
      graph_.types.push_back(inMemory(from_.types[i], orderOfInput(i).dims()));
    for (uint32_t i = 0; i < from_.numInputs; ++i) renamed_[i] = permute(i, inverse(orderOfInput(i).dims()));
    for (const GraphNode &node : from_.nodes) addNode(node);
    for (const GraphOutput &out : from_.outputs)
      graph_.outputs.push_back({permute(renamed_[out.value], orderOfOutput(out).dims()), out.updatesInput});
    Executable exe = planCalls(graph_);
    for (uint32_t i = 0; i < from_.numInputs; ++i) exe.inputs[i] = {from_.types[i], orderOfInput(i).dims(), -1};
    for (size_t o = 0; o < from_.outputs.size(); ++o) {
      const GraphOutput &out = from_.outputs[o];
      exe.outputs[o] = {from_.types[out.value], orderOfOutput(out).dims(), out.updatesInput};
    }
    return exe;
  }

private:
  MemoryOrder orderOfInput(size_t i) const {
    return i < from_.inputOrders.size() ? from_.inputOrders[i] : MemoryOrder();
  }
  MemoryOrder orderOfOutput(const GraphOutput &out) const {
    return out.updatesInput >= 0 ? orderOfInput(static_cast<size_t>(out.updatesInput))
                                 : orderForTest(from_.types[out.value].sizes.rank());
  }
  static TensorType inMemory(TensorType type, const Shape &order) {
    const Shape sizes = type.sizes;
    for (size_t i = 0; i < order.rank(); ++i) type.sizes[i] = sizes[static_cast<size_t>(order[i])];
    return type;
  }
  static Shape inverse(const Shape &order) {
    Shape dims = order;
    for (size_t i = 0; i < order.rank(); ++i) dims[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
    return dims;
  }
  ValueId permute(ValueId value, const Shape &dims) {
    if (dims.empty()) return value;
    GraphNode node{OpId::Permute, {value}, {}, static_cast<ValueId>(graph_.types.size()), 0};
    node.attrs.addInts(dims);
    graph_.types.push_back(inMemory(graph_.types[value], dims));
    graph_.nodes.push_back(std::move(node));
    return graph_.nodes.back().firstResult;
  }
  void addNode(GraphNode node) {
    ValueId first = node.firstResult;
    for (ValueId &v : node.operands) v = renamed_[v];
    node.firstResult = static_cast<ValueId>(graph_.types.size());
    for (uint32_t r = 0; r < info(node.op).numResults; ++r) {
      renamed_[first + r] = node.firstResult + r;
      graph_.types.push_back(from_.types[first + r]);
    }
    graph_.nodes.push_back(std::move(node));
  }

  const Graph &from_;
  Graph graph_;
  std::vector<ValueId> renamed_; ///< logical values
};

inline Executable reorderingCompile(const Graph &graph, const CompileOptions &options, CompileReport *report) {
  fakeCompile(graph, options, report);
  return Reordering(graph).compile();
}

struct WithReorderingCompiler : WithFakeCompiler {
  void SetUp() override {
    WithFakeCompiler::SetUp();
    static const CompilerInterface reordering{CompilerInterface::current, reorderingCompile};
    trace::setCompilerForTest(&reordering);
  }
};

inline const Buffer &bufferOf(const Tensor &t) { return *t.impl()->storage->buffer; }
inline bool isReordered(const Tensor &t) { return !bufferOf(t).order().isRowMajor(); }

} // namespace tensorjit::testing
