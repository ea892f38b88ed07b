#pragma once
/// What decides the outcome of a compile.
#include "execute/CompilerInterface.h"

#include <cstddef>
#include <string_view>
#include <vector>

namespace tensorjit::cache {

/// The graph's canonical bytes, every option, the host's features and the compiler: equal keys, equal executables but
/// for the names of the graph and of the lines in the user's files. `compiler`
/// tells builds of the compiler apart.
std::vector<std::byte> key(const Graph &graph, const CompileOptions &options, std::string_view compiler);

} // namespace tensorjit::cache
