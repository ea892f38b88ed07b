#pragma once
#include "graph/Graph.h"
#include "tensorjit/tensor.h"

namespace tensorjit::run {

enum class Mode { Eager, NoFuse, Compiled };

/// Runs a graph on these inputs: op by op through the eager kernels, or compiled, one kernel an op or fused. An input
/// that the graph updates is overwritten. Throws `value_error` for inputs of other types than the graph's,
/// `compile_error`, `index_error`.
std::vector<Tensor> runGraph(const Graph &graph, const std::vector<Tensor> &inputs, Mode mode);

} // namespace tensorjit::run
