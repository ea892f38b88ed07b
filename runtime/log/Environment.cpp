#include "log/Environment.h"

#include <cstdlib>

namespace tensorjit {

static std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

const Environment &environment() {
  static const Environment &e = *new Environment{
      variable("TENSORJIT_LOGS"),
      variable("TENSORJIT_DUMP"),
      variable("TENSORJIT_FLAGS"),
      variable("TENSORJIT_COMPILER"),
      variable("TENSORJIT_NVRTC"),
      std::getenv("TENSORJIT_CACHE_DIR") ? std::optional(variable("TENSORJIT_CACHE_DIR")) : std::nullopt,
      variable("XDG_CACHE_HOME"),
      variable("HOME")};
  return e;
}

} // namespace tensorjit
