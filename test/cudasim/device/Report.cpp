#include "device/Report.h"

#include "device/Settings.h"

#include <cstdio>

namespace cudasim {

const char *name(FaultKind kind) {
  switch (kind) {
  case FaultKind::OutOfBounds: return "access out of bounds";
  case FaultKind::Freed: return "access to freed memory";
  case FaultKind::Misaligned: return "misaligned access";
  case FaultKind::Uninitialized: return "read of uninitialised memory";
  case FaultKind::Race: return "race on shared memory";
  case FaultKind::Barrier: return "barrier in divergent code";
  case FaultKind::WarpSync: return "wrong lanes in a warp-wide operation";
  case FaultKind::Deadlock: return "deadlock";
  case FaultKind::EndlessLoop: return "endless loop";
  case FaultKind::Trap: return "trap";
  case FaultKind::Assert: return "assertion failed";
  case FaultKind::InvalidInstruction: return "invalid instruction";
  case FaultKind::StackOverflow: return "stack overflow";
  case FaultKind::PendingCopy: return "read before an asynchronous copy has landed";
  }
  return "";
}

void report(const std::string &text) {
  FILE *out = settings().reportFile.empty() ? stderr : std::fopen(settings().reportFile.c_str(), "a");
  if (!out) out = stderr;
  std::fprintf(out, "cudasim: %s\n", text.c_str());
  if (out != stderr) std::fclose(out);
  else std::fflush(out);
}

} // namespace cudasim
