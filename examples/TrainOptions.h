#pragma once
#include <cstdint>
#include <optional>
#include <string>

struct TrainOptions {
  std::string data = "/usr/share/datasets/fashion-mnist";
  int64_t epochs = 3, batch = 128, workers = 2;
  uint64_t seed = 0;
  std::string device = "cpu";
  bool eager = false, wholeStep = false;
};

/// The exit code where the program ends here: after `--help`, or for arguments that are wrong.
std::optional<int> parseTrainOptions(int argc, char **argv, TrainOptions &options);
