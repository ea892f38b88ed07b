#include "trace/Lines.h"

#include <string_view>

namespace tensorjit::trace {

std::string_view fileOf(const std::source_location &loc) {
  std::string_view file = loc.file_name();
  if (size_t slash = file.rfind('/'); slash != file.npos) file.remove_prefix(slash + 1);
  return file;
}

SourceLine lineOf(const std::source_location &loc) { return {std::string(fileOf(loc)), loc.line()}; }

std::string text(const SourceLine &line) { return line.file + ":" + std::to_string(line.line); }

} // namespace tensorjit::trace
