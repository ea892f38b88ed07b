#pragma once
/// Apart from the rest of the tool because CLI11 takes longer to compile than all of it.
#include "Cases.h"

#include <optional>
#include <string>
#include <vector>

namespace tensorjit::run {

struct Options {
  std::string model, function = "main", mode = "eager", device = "cpu";
  std::vector<std::string> inputs, expected, outputs;
  double rtol = 0, atol = 0;
  CaseOptions cases;
};

/// The exit code where the program ends here: after `--help`, or for arguments that are wrong.
std::optional<int> parseCommandLine(int argc, char **argv, Options &options);

} // namespace tensorjit::run
