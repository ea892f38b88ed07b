#pragma once
#include <exception>
#include <string>

namespace cudasim {

enum class FaultKind {
  OutOfBounds,
  Freed,
  Misaligned,
  Uninitialized,
  Race,
  Barrier,
  WarpSync,
  Deadlock,
  EndlessLoop,
  Trap,
  Assert,
  InvalidInstruction,
  StackOverflow,
  PendingCopy
};
const char *name(FaultKind kind);

/// Ends a kernel; the driver turns it into the context's sticky error.
struct KernelFault : std::exception {
  FaultKind kind;
  std::string text;
  KernelFault(FaultKind kind, std::string text) : kind(kind), text(std::move(text)) {}
  const char *what() const noexcept override { return text.c_str(); }
};

/// Writes a finding to CUDASIM_REPORT (a file, appended to) or to stderr.
void report(const std::string &text);

} // namespace cudasim
