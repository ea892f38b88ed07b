#pragma once
#include "graph/Graph.h"

#include <source_location>
#include <string>

namespace tensorjit::trace {

/// File name without its folder, and line: how messages and graphs name a place in the user's program.
SourceLine lineOf(const std::source_location &loc);
/// "model.cpp:41"
std::string text(const SourceLine &line);

} // namespace tensorjit::trace
