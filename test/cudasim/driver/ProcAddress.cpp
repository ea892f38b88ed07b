// Entry points by name, and the stand-in's own additions (see cudasim.h).
#include "driver/Api.h"
#include "driver/Queue.h"

#include "cudasim.h"
#include "device/Counters.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>

using namespace cudasim;

namespace {

/// The newest form of a function: "cuMemAlloc" is cuMemAlloc_v2.
void *newest(const std::string &name) {
  static void *self = [] {
    Dl_info info;
    return dladdr(reinterpret_cast<void *>(&cudasimResetCounters), &info)
               ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
               : nullptr;
  }();
  for (const char *suffix : {"_v4", "_v3", "_v2", ""})
    if (void *p = self ? dlsym(self, (name + suffix).c_str()) : nullptr) return p;
  return nullptr;
}

} // namespace

CUDASIM_API cuGetProcAddress_v2(const char *symbol, void **out, int, cuuint64_t,
                                CUdriverProcAddressQueryResult *status) {
  if (!symbol || !out) return CUDA_ERROR_INVALID_VALUE;
  *out = std::strncmp(symbol, "cu", 2) == 0
             ? newest(std::strcmp(symbol, "cuGraphInstantiate") ? symbol : "cuGraphInstantiateWithFlags")
             : nullptr;
  if (status) *status = *out ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return *out ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

#undef cuGetProcAddress
CUDASIM_API cuGetProcAddress(const char *symbol, void **out, int version, cuuint64_t flags) {
  return cuGetProcAddress_v2(symbol, out, version, flags, nullptr);
}

CUDASIM_API cuGetExportTable(const void **, const CUuuid *) { return CUDA_ERROR_NOT_SUPPORTED; }

extern "C" __attribute__((visibility("default"))) size_t cudasimCounters(char *buffer, size_t size) {
  std::lock_guard guard(driver().lock);
  std::string text = counters().json();
  if (buffer && size) {
    size_t n = std::min(size - 1, text.size());
    std::memcpy(buffer, text.data(), n);
    buffer[n] = '\0';
  }
  return text.size() + 1;
}

extern "C" __attribute__((visibility("default"))) void cudasimResetCounters(void) {
  std::lock_guard guard(driver().lock);
  counters() = Counters();
}
