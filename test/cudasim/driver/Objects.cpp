#include "driver/Objects.h"

#include "device/Counters.h"
#include "device/Settings.h"

#include <cstdio>
#include <cstdlib>

namespace cudasim {
namespace {

void writeCounters() {
  const std::string &path = settings().countersFile;
  if (path.empty()) return;
  if (FILE *file = std::fopen(path.c_str(), "w")) {
    std::fputs(counters().json().c_str(), file);
    std::fclose(file);
  }
}

/// Objects older than the driver are destroyed after this.
void shutDown() {
  writeCounters();
  std::lock_guard guard(driver().lock);
  driver().hasShutDown = true;
}

} // namespace

Driver &driver() {
  static auto *d = [] {
    auto *made = new Driver;
    made->random.seed(static_cast<uint32_t>(settings().seed));
    std::atexit(shutDown);
    return made;
  }();
  return *d;
}

std::vector<Context *> &contextStack() {
  thread_local std::vector<Context *> stack;
  return stack;
}

Context *currentContext() {
  Context *context = contextStack().empty() ? nullptr : contextStack().back();
  return context && driver().knows(context) ? context : nullptr;
}

uint64_t Module::address(const std::string &variable) const {
  auto found = globals.find(variable);
  if (found == globals.end()) throw ptx::Error(0, "Unresolved extern variable '" + variable + "'");
  return found->second.first;
}

Module::~Module() {
  for (auto &[name, function] : functions) driver().handles.erase(function.get());
  for (auto &[name, place] : globals) DeviceMemory::instance().free(place.first);
}

} // namespace cudasim
