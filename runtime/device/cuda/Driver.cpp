#include "device/cuda/Driver.h"

#include <dlfcn.h>

namespace tensorjit::device::cuda {

namespace {

/// NVRTC of this release of CUDA writes PTX that older drivers do not read.
constexpr int oldestVersion = 13000;

std::string versionText(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

Driver load() {
  Driver d;
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL); // never closed: it holds threads
  if (!library) {
    d.why = std::string("the CUDA driver cannot be opened: ") + dlerror();
    return d;
  }
  auto find = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (!function && d.why.empty()) d.why = std::string("the CUDA driver is too old: it has no ") + name;
  };
  // The version first: an old driver is told by it.
  find(d.cuDriverGetVersion, "cuDriverGetVersion");
  if (d.why.empty() && d.cuDriverGetVersion(&d.version) == success && d.version < oldestVersion)
    d.why = "the CUDA driver is too old: it supports CUDA " + versionText(d.version) + ", " +
            versionText(oldestVersion) + " is needed";
#define TENSORJIT_FIND(name, ...) find(d.name, #name);
  TENSORJIT_CUDA_FUNCTIONS(TENSORJIT_FIND)
#undef TENSORJIT_FIND
  if (!d.why.empty()) return d;
  Result result = d.cuInit(0);
  if (!result) result = d.cuDeviceGetCount(&d.devices);
  if (result) d.why = "the CUDA driver does not start: " + d.text(result);
  else if (!d.devices) d.why = "the CUDA driver sees no device";
  return d;
}

} // namespace

std::string Driver::text(Result result) const {
  const char *name = nullptr, *words = nullptr;
  if (cuGetErrorName(result, &name) || !name) name = "unknown error";
  if (cuGetErrorString(result, &words) || !words) return std::string(name) + " " + std::to_string(result);
  return std::string(name) + " (" + words + ")";
}

const Driver &driver() {
  static const Driver &d = *new Driver(load());
  return d;
}

} // namespace tensorjit::device::cuda
