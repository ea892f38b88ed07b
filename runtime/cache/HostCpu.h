#pragma once
#include <string>

namespace tensorjit::cache {

/// What tells the host's CPU from others that may not run its code.
const std::string &hostCpu();

} // namespace tensorjit::cache
