#include "Cases.h"
#include "Case.h"
#include "file/FileWriter.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex.h>

namespace tensorjit::run {
namespace {

using nlohmann::json;

/// A POSIX regular expression: std::regex takes longer to compile than the rest of this file.
class Filter {
public:
  explicit Filter(const std::string &pattern) {
    if (const int code = regcomp(&compiled_, pattern.c_str(), REG_EXTENDED | REG_NOSUB)) {
      char text[256];
      regerror(code, &compiled_, text, sizeof text);
      throw value_error("--filter " + pattern + ": " + text);
    }
  }
  ~Filter() { regfree(&compiled_); }
  Filter(const Filter &) = delete;
  bool matches(const std::string &id) const { return regexec(&compiled_, id.c_str(), 0, nullptr, 0) == 0; }

private:
  regex_t compiled_;
};

json readCases(const std::string &path) {
  std::ifstream in(path);
  if (!in) throw io_error(path + ": cannot be opened");
  try {
    json file = json::parse(in);
    if (file.at("format") != "tensorjit-cases-1") throw io_error(path + ": unknown format");
    return file;
  } catch (const json::exception &e) {
    throw io_error(path + ": " + e.what());
  }
}

} // namespace

int runCases(const CaseOptions &options) {
  json file = readCases(options.file);
  auto folder = std::filesystem::path(options.file).parent_path();
  CaseTensors tensors((folder / file.at("tensors").get<std::string>()).string());
  const Filter filter(options.filter);
  json report = json::array();
  int counts[4] = {};
  for (const json &j : file.at("cases")) {
    std::string id = j.at("id");
    if (!filter.matches(id)) continue;
    if (options.verbose) std::fprintf(stderr, "%s\n", id.c_str()); // before the call, so that a crash has a name
    Outcome o = runCase(j, tensors, options.compiled, Device(options.device));
    ++counts[static_cast<int>(o.status)];
    std::string op = j.at("op");
    if (o.status != Status::Passed) std::printf("%s %s: %s\n", id.c_str(), op.c_str(), o.text.c_str());
    const char *names[] = {"passed", "failed", "unknown", "unsupported"};
    report.push_back({{"id", id},
                      {"op", op},
                      {"wave", j.at("wave")},
                      {"status", names[static_cast<int>(o.status)]},
                      {"text", o.text}});
  }
  if (!options.jsonOut.empty()) {
    FileWriter out(options.jsonOut);
    out.write(report.dump(1) + "\n");
    out.commit();
  }
  int passed = counts[0], failed = counts[1], skipped = counts[2] + counts[3];
  std::printf("%d unknown ops, %d not supported\n", counts[2], counts[3]);
  std::printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
  return failed == 0 && passed > 0 ? 0 : 1;
}

} // namespace tensorjit::run
