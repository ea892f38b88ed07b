#pragma once
#include <string>

namespace tensorjit {

/// What the environment asks for; read once, here only.
struct Environment {
  std::string logs;     ///< TENSORJIT_LOGS: "+graph_breaks,recompiles"
  std::string dump;     ///< TENSORJIT_DUMP: a folder that receives every stage's IR and the code that is run
  std::string flags;    ///< TENSORJIT_FLAGS: "mode=no-fuse,strict", defaults of `Options`
  std::string compiler; ///< TENSORJIT_COMPILER: path of the compiler library
  std::string nvrtc;    ///< TENSORJIT_NVRTC: path of the NVRTC library
};

const Environment &environment();

} // namespace tensorjit
