#pragma once
#include <string>

namespace tensorjit::run {

struct CaseOptions {
  std::string file, filter, jsonOut, device = "cpu";
  bool compiled = false, verbose = false;
};

/// Runs a file of op cases: each is one call of a public function by its name, whose results, gradients or error are
/// compared with stored values. Prints a line for each failure and, last, `N passed, N failed, N skipped`.
/// Returns the exit code: 0 when something ran and nothing failed.
int runCases(const CaseOptions &options);

} // namespace tensorjit::run
