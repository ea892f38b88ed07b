#pragma once
#include "RawTensor.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tensorjit::run {

enum class Status { Passed, Failed, Unknown, Unsupported };

struct Outcome {
  Status status = Status::Passed;
  std::string text;
};

/// Runs one case of the file, described by `j`, eagerly or compiled.
Outcome runCase(const nlohmann::json &j, const CaseTensors &file, bool compiled, Device device);

} // namespace tensorjit::run
