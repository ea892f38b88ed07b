#pragma once
#include "graph/Graph.h"

#include <source_location>
#include <string>
#include <string_view>

namespace tensorjit::trace {

/// File name without its folder.
std::string_view fileOf(const std::source_location &loc);
/// The process's own copy of a place, which lasts for ever: a program has no more of them than lines.
const SourceLine &lineOf(std::string_view file, uint32_t line);
/// File name without its folder, and line: how messages and graphs name a place in the user's program.
const SourceLine &lineOf(const std::source_location &loc);
/// "model.cpp:41"
std::string text(const SourceLine &line);

} // namespace tensorjit::trace
