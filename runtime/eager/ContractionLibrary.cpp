#include "eager/ContractionLibrary.h"

#include <cstdlib>
#include <dlfcn.h>
#include <string>

namespace tensorjit::eager {

/// The folder of this library.
static std::string ownFolder() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void *>(&ownFolder), &info)) return "";
  const std::string path = info.dli_fname;
  const size_t slash = path.rfind('/');
  return slash == path.npos ? "" : path.substr(0, slash + 1);
}

const ContractionLibrary *contractionLibrary() {
  static const ContractionLibrary *library = []() -> const ContractionLibrary * {
    setenv("OMP_WAIT_POLICY", "passive", 0);
    setenv("GOMP_SPINCOUNT", "2000", 0);
    void *handle = dlopen((ownFolder() + "libtensorjit_onednn.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) return nullptr;
    auto get = reinterpret_cast<const ContractionLibrary *(*)()>(dlsym(handle, "tensorjitContractionLibrary"));
    return get ? get() : nullptr;
  }();
  return library;
}

} // namespace tensorjit::eager
