#pragma once
#include "execute/CompilerInterface.h"

namespace tensorjit {

/// Compiles a graph: every stage in order. Throws `compile_error`.
Executable compileGraph(const Graph &graph, const CompileOptions &options, CompileReport *report);

} // namespace tensorjit
