// device-suite DEVICE [CASE]: runs the device suite. Exit code 0: each case passes, or fails as it is listed.
#include "Suite.h"

#include <cstdio>

namespace device_suite {

std::map<std::string, std::string> cannot(tj::Device device) {
  switch (device.type()) {
  case tj::DeviceType::CPU:
    return {
        {"timing", "there are no streams to record events in"},
        {"streams", "work of the CPU is done when a call returns: there are no streams"},
        {"memory is reused in stream order", "the CPU's memory is another allocator's"},
        {"pinned memory", "only a CUDA device page-locks memory"},
        {"pinned batches", "only a CUDA device page-locks memory"},
        {"DLPack streams", "there are no streams to order"},
        {"memory of others", "the CPU's are tested with from_blob's own tests"},
        {"streams and events of the public API", "they are CUDA's"},
        {"memory in the public API", "it is CUDA's"},
        {"mixed devices", "there is no other device than the CPU to mix"},
    };
  case tj::DeviceType::Null:
    return {{"DLPack", "DLPack has no such device"},
            {"DLPack streams", "DLPack has no such device"},
            {"streams and events of the public API", "they are CUDA's"},
            {"memory in the public API", "it is CUDA's"},
            {"kernels", "ops run on the host: there is no code generator"},
            {"pinned memory", "only a CUDA device page-locks memory"},
            {"pinned batches", "only a CUDA device page-locks memory"},
            {"timing", "it takes no time that events could measure"}};
  case tj::DeviceType::CUDA: return {};
  }
  return {};
}

} // namespace device_suite

using namespace device_suite;

static int run(tj::Device device, const std::string &only) {
  const auto refusals = cannot(device);
  int failures = 0;
  for (const auto *cases : {&copyCases, &opCases, &trainingCases, &streamCases, &interopCases, &pointwiseCases,
                            &roundingCases, &reductionCases, &shapeCases, &productCases, &gradientCases})
    for (const Case &c : *cases) {
      if (!only.empty() && only != c.name) continue;
      const auto refusal = refusals.find(c.name);
      std::string error;
      try {
        c.run(device);
      } catch (const std::exception &e) {
        error = *e.what() ? e.what() : "an exception without words";
      }
      const bool ok = error.empty() == (refusal == refusals.end());
      failures += !ok;
      if (!ok) std::printf("FAILED  %s: %s\n", c.name, error.empty() ? "passes, but is listed" : error.c_str());
      else if (refusal != refusals.end()) std::printf("cannot  %s: %s\n", c.name, refusal->second.c_str());
      else std::printf("ok      %s\n", c.name);
      std::fflush(stdout);
    }
  return failures;
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  return run(tj::Device(argv[1]), argc > 2 ? argv[2] : "") ? 1 : 0;
}
