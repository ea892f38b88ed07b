#include "trace/Lines.h"

#include <mutex>
#include <set>
#include <string_view>
#include <utility>

namespace tensorjit::trace {

namespace {

using Place = std::pair<std::string_view, uint32_t>;
Place placeOf(const SourceLine &line) { return {line.file, line.line}; }
Place placeOf(const Place &place) { return place; }

struct Before {
  using is_transparent = void;
  bool operator()(const auto &a, const auto &b) const { return placeOf(a) < placeOf(b); }
};

} // namespace

std::string_view fileOf(const std::source_location &loc) {
  std::string_view file = loc.file_name();
  if (size_t slash = file.rfind('/'); slash != file.npos) file.remove_prefix(slash + 1);
  return file;
}

const SourceLine &lineOf(std::string_view file, uint32_t line) {
  static std::mutex mutex;
  static auto &lines = *new std::set<SourceLine, Before>; // tensors of static objects name them at the process's end
  std::lock_guard lock(mutex);
  auto at = lines.find(Place(file, line));
  if (at == lines.end()) at = lines.insert({std::string(file), line}).first;
  return *at;
}

const SourceLine &lineOf(const std::source_location &loc) { return lineOf(fileOf(loc), loc.line()); }

std::string text(const SourceLine &line) { return line.file + ":" + std::to_string(line.line); }

} // namespace tensorjit::trace
