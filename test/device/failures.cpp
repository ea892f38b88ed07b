// device-failures KIND: what a program is told where CUDA does not work, and that its work on the CPU goes on. Each
// kind is a process of its own, in the environment that its test gives it.
#include "Suite.h"
#include "device/Backend.h"

#include <cstdio>

using namespace device_suite;

namespace {

void cpuWorks() {
  auto f = tj::compile([](const tj::Tensor &t) { return t * 2.0 + 1.0; });
  requireSame(f(tj::ones({4})), tj::full({4}, 3.0), "the CPU");
}

/// No device can be opened; `words` say why.
void unavailable(const std::vector<std::string> &words) {
  std::string why;
  require(!tj::cuda::is_available(&why) && tj::cuda::device_count() == 0, "CUDA is available");
  const std::string text = thrownBy<tj::device_error>([] { tj::ones({2}).to(tj::kCUDA); });
  for (const std::string &word : words) {
    requireContains(why, word);
    requireContains(text, word);
  }
  requireContains(text, "failures.cpp:");
  thrownBy<tj::device_error>([] { tj::zeros({2}, tj::kCUDA); });
}

void missingDriver() { unavailable({"the CUDA driver cannot be opened", "libcuda.so.1"}); }
void oldDriver() { unavailable({"too old", "12.4", "13.0"}); }
void noSuchDevice() {
  require(tj::cuda::is_available(), "CUDA is not available");
  requireContains(thrownBy<tj::device_error>([] { tj::ones({2}).to("cuda:7"); }),
                  "there is no device cuda:7; the CUDA driver sees 1");
  requireContains(thrownBy<tj::device_error>([] { tj::ones({2}).to("gpu"); }), "'gpu'");
}

/// Copies work, ops say what is missing, each time.
void noCode(const std::string &words) {
  const tj::Tensor x = tj::ones({2}).to(tj::kCUDA);
  auto f = tj::compile([](const tj::Tensor &t) { return t + 1.0; });
  for (int call = 0; call < 2; ++call) {
    requireContains(thrownBy<tj::device_error>([&] { x + 1.0; }), words);
    requireContains(thrownBy<tj::device_error>([&] { f(x); }), words);
  }
  requireSame(x.cpu(), tj::ones({2}), "a copy");
}

void missingNvrtc() { noCode("NVRTC cannot be opened"); }
void unknownArchitecture() { noCode("NVRTC has no code for a device of compute capability 2.0"); }

/// CUDASIM_MEMORY is 64 MiB.
void outOfMemory() {
  std::vector<tj::Tensor> kept;
  for (int i = 0; i < 3; ++i) kept.push_back(tj::ones({4 << 20}, tj::kCUDA));
  const std::string text = thrownBy<tj::out_of_memory>([&] { tj::ones({8 << 20}, tj::kCUDA); });
  for (const char *part : {"cuda:0", "cannot allocate 32 MiB", "48 MiB are in use", "3 blocks"})
    requireContains(text, part);
  // What is cached is given back first.
  kept.pop_back();
  kept.pop_back();
  const tj::Tensor y = tj::ones({8 << 20}, tj::kCUDA);
  require(y.sum().item() == 8 << 20, "memory that was given back");
}

/// A kernel that reads memory which the device has not.
void lostDevice() {
  const tj::Tensor x = tj::ones({4}).to(tj::kCUDA), other = tj::ones({4}).to(tj::kCUDA);
  requireSame((x + 1.0).cpu(), tj::full({4}, 2.0), "before");
  tj::cuda::synchronize();
  tensorjit::device::backend(tj::kCUDA).free(x.data_ptr());
  const std::string text = thrownBy<tj::device_error>([&] { (x + 1.0).cpu(); });
  for (const char *part : {"CUDA_ERROR_ILLEGAL_ADDRESS", "lost to this process"}) requireContains(text, part);
  requireContains(thrownBy<tj::device_error>([&] { (other + 1.0).cpu(); }), "CUDA_ERROR_ILLEGAL_ADDRESS");
}

const std::map<std::string, void (*)()> kinds = {
    {"missing-driver", missingDriver},
    {"old-driver", oldDriver},
    {"no-such-device", noSuchDevice},
    {"missing-nvrtc", missingNvrtc},
    {"unknown-architecture", unknownArchitecture},
    {"out-of-memory", outOfMemory},
    {"lost-device", lostDevice},
};

} // namespace

int main(int argc, char **argv) {
  const auto kind = kinds.find(argc > 1 ? argv[1] : "");
  if (kind == kinds.end()) return 2;
  try {
    cpuWorks();
    kind->second();
    cpuWorks();
  } catch (const std::exception &e) {
    std::printf("%s: %s\n", argv[1], e.what());
    return 1;
  }
}
