#pragma once
#include <functional>
#include <string_view>

namespace tensorjit {

/// Replaces where messages go (at first: the error stream). Called with one line at a time, from any thread, never
/// from two at once. An empty function restores the error stream.
void set_log_sink(std::function<void(std::string_view line)> sink);

/// Chooses what is logged besides warnings: a list like "+graph_breaks,recompiles,-fusion". At first the environment
/// variable TENSORJIT_LOGS. Channels: graph_breaks, recompiles, fusion, compile. Throws `value_error` for others.
void set_logs(std::string_view channels);

} // namespace tensorjit
