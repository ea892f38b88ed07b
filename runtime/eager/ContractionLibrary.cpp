#include "eager/ContractionLibrary.h"
#include "core/Allocator.h"
#include "execute/ThreadPool.h"
#include "log/Log.h"

#include <cstdlib>
#include <dlfcn.h>
#include <string>

namespace tensorjit::eager {

/// The folder of this library.
[[maybe_unused]] static std::string ownFolder() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void *>(&ownFolder), &info)) return "";
  const std::string path = info.dli_fname;
  const size_t slash = path.rfind('/');
  return slash == path.npos ? "" : path.substr(0, slash + 1);
}

static const ContractionLibrary *open() {
#ifdef TENSORJIT_HAS_ONEDNN
  setenv("OMP_WAIT_POLICY", "passive", 0);
  setenv("GOMP_SPINCOUNT", "2000", 0);
  void *handle = dlopen((ownFolder() + "libtensorjit_onednn.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    log::warn(std::string("eager matmul and convolution run plain loops: ") + dlerror());
    return nullptr;
  }
  static const ContractionHost host{allocateBlock, freeBlock, numThreads};
  using Entry = const ContractionLibrary *(*)(const ContractionHost *);
  auto entry = reinterpret_cast<Entry>(dlsym(handle, "tensorjitContractionLibrary"));
  return entry ? entry(&host) : nullptr;
#else
  return nullptr;
#endif
}

const ContractionLibrary *contractionLibrary() {
  static const ContractionLibrary *library = open();
  return library;
}

} // namespace tensorjit::eager
