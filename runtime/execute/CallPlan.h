#pragma once
#include "execute/Executable.h"

namespace tensorjit {

/// An Executable that runs every op of the graph through its eager kernel, in order: what runs where nothing is
/// compiled (no compiler, a refusal, `NoCodegen`, a call that ended in an exception). Needs no code.
Executable planCalls(const Graph &graph);

/// What an op with `checksIndex` reports for these operands.
IndexCheck indexCheckOf(const Graph &graph, const GraphNode &node);

} // namespace tensorjit
