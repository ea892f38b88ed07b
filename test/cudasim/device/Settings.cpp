#include "device/Settings.h"

#include <cstdlib>

namespace cudasim {
namespace {

uint64_t number(const char *name, uint64_t otherwise) {
  const char *text = std::getenv(name);
  return text && *text ? std::strtoull(text, nullptr, 0) : otherwise;
}

std::string text(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

Settings fromEnvironment() {
  Settings s;
  s.seed = number("CUDASIM_SEED", s.seed);
  s.reportFile = text("CUDASIM_REPORT");
  s.countersFile = text("CUDASIM_COUNTERS");
  if (const char *checks = std::getenv("CUDASIM_CHECKS")) {
    std::string list = checks;
    s.checkUninitialized = list.find("uninitialized") != list.npos;
    s.checkRaces = list.find("races") != list.npos;
    s.checkBarriers = list.find("barriers") != list.npos;
  }
  s.instructionLimit = number("CUDASIM_INSTRUCTION_LIMIT", s.instructionLimit);
  s.memoryBytes = number("CUDASIM_MEMORY", s.memoryBytes);
  s.architecture = static_cast<int>(number("CUDASIM_ARCH", static_cast<uint64_t>(s.architecture)));
  return s;
}

} // namespace

const Settings &settings() {
  static const Settings s = fromEnvironment();
  return s;
}

} // namespace cudasim
