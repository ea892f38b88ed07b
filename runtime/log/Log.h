#pragma once
#include <string>

namespace tensorjit::log {

enum class Channel : unsigned {
  GraphBreaks = 1, ///< each break: reason and line
  Recompiles = 2,  ///< each compile, and why there was one
  Fusion = 4,      ///< why kernels were or were not made one
  Compile = 8,     ///< seconds of each stage
};

bool enabled(Channel channel);
/// Does nothing where the channel is off.
void message(Channel channel, const std::string &text);
void warn(const std::string &text);

} // namespace tensorjit::log
