#pragma once
#include "graph/Graph.h"
#include "trace/CompiledSegment.h"

#include <span>
#include <string>
#include <vector>

namespace tensorjit::trace {

/// The segment of the path that ends at `end`, as a graph of what the outputs need (and of ops that check indices).
/// `inputs` receives the values, leaves and arguments, that the graph's inputs stand for. A leaf that an output updates
/// is an input even where no op reads it.
Graph buildGraph(const TraceNode &end, std::span<const SegmentOutput> outputs, const std::string &name,
                 std::vector<ValueId> &inputs);

} // namespace tensorjit::trace
