#pragma once
#include "graph/Graph.h"

namespace tensorjit::run {

/// The function `function` of a file of `tj` ops, as a recorded graph. Throws `Error` with MLIR's message where the
/// file does not parse or holds something other than `tj` ops and a return.
Graph readModel(const std::string &path, const std::string &function);

} // namespace tensorjit::run
