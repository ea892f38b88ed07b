#pragma once
#include <string>

namespace tensorjit::cache {

/// Tells builds of the compiler apart: a hash of the library's contents. Empty where it can't be read.
std::string compilerBuild(const std::string &library);

} // namespace tensorjit::cache
