#include "log/Environment.h"
#include "log/Log.h"
#include "tensorjit/compile_options.h"

#include <string_view>

namespace tensorjit {

static bool setFlag(Options &o, std::string_view flag) {
  using Mode = Options::Mode;
  if (flag == "mode=off") o.mode = Mode::Off;
  else if (flag == "mode=no-codegen") o.mode = Mode::NoCodegen;
  else if (flag == "mode=no-fuse") o.mode = Mode::NoFuse;
  else if (flag == "mode=full") o.mode = Mode::Full;
  else if (flag == "strict") o.strict = true;
  else if (flag == "background") o.background = true;
  else if (flag == "no-cache") o.cache = false;
  else if (flag == "fail-compile") o.fail_compile = Options::Failure::Refusal;
  else return false;
  return true;
}

Options::Options() : dump(environment().dump) {
  std::string_view flags = environment().flags;
  while (!flags.empty()) {
    size_t comma = flags.find(',');
    std::string_view flag = flags.substr(0, comma);
    flags.remove_prefix(comma == flags.npos ? flags.size() : comma + 1);
    if (flag.empty() || setFlag(*this, flag)) continue;
    static const bool warned = [&] {
      log::warn("TENSORJIT_FLAGS: unknown flag '" + std::string(flag) +
                "'; there are mode=off, mode=no-codegen, mode=no-fuse, mode=full, strict, background, no-cache and "
                "fail-compile");
      return true;
    }();
    static_cast<void>(warned);
  }
}

} // namespace tensorjit
