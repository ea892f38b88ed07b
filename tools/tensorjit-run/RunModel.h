#pragma once
#include "graph/Graph.h"
#include "tensorjit/tensor.h"

namespace tensorjit::run {

enum class Mode { Eager, NoFuse, Compiled };

/// Runs a graph on these inputs, which lie on `device`: op by op through the eager kernels, or compiled, one kernel an
/// op or fused. An input that the graph updates is overwritten. Throws `value_error` for inputs of other types than the
/// graph's, `compile_error`, `device_error`, `index_error`. The results are on the CPU.
std::vector<Tensor> runGraph(Graph graph, const std::vector<Tensor> &inputs, Mode mode, Device device);

} // namespace tensorjit::run
