#pragma once
#include <optional>
#include <string>

namespace tensorjit {

/// What the environment asks for; read once, here only.
struct Environment {
  std::string logs;     ///< TENSORJIT_LOGS: "+graph_breaks,recompiles"
  std::string dump;     ///< TENSORJIT_DUMP: a folder that receives every stage's IR and the code that is run
  std::string flags;    ///< TENSORJIT_FLAGS: "mode=no-fuse,strict", defaults of `Options`
  std::string compiler; ///< TENSORJIT_COMPILER: path of the compiler library
  std::string nvrtc;    ///< TENSORJIT_NVRTC: path of the NVRTC library
  /// TENSORJIT_CACHE_DIR: a folder that compiled programs are kept in; empty: they are not kept.
  std::optional<std::string> cacheDir;
  std::string userCaches; ///< XDG_CACHE_HOME
  std::string home;       ///< HOME
};

const Environment &environment();

} // namespace tensorjit
