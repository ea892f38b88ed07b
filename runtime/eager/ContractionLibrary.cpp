#include "eager/ContractionLibrary.h"
#include "core/Allocator.h"
#include "core/ExitGate.h"
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

/// A variable for the time in which a library is opened that reads it once; one that the program's user has set stays.
class [[maybe_unused]] VariableWhileOpening {
public:
  VariableWhileOpening(const char *name, const char *value) : name_(name), mine_(!std::getenv(name)) {
    if (mine_) setenv(name, value, 1);
  }
  ~VariableWhileOpening() {
    if (mine_) unsetenv(name_);
  }
  VariableWhileOpening(const VariableWhileOpening &) = delete;

private:
  const char *name_;
  bool mine_;
};

static const ContractionLibrary *open() {
#ifdef TENSORJIT_HAS_ONEDNN
  const VariableWhileOpening policy("OMP_WAIT_POLICY", "passive"), spins("GOMP_SPINCOUNT", "2000");
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

namespace {

const ContractionLibrary *opened = nullptr;

template <auto function, class Call> bool guarded(const Call &call) {
  const ExitGate<ContractionLibrary>::Pass pass;
  return pass && (opened->*function)(call);
}

} // namespace

const ContractionLibrary *contractionLibrary() {
  static const ContractionLibrary table{
      guarded<&ContractionLibrary::gemm, GemmCall>, guarded<&ContractionLibrary::conv, ConvCall>,
      guarded<&ContractionLibrary::convInputGrad, ConvCall>, guarded<&ContractionLibrary::convWeightGrad, ConvCall>};
  static const bool isOpen = (opened = open()) != nullptr;
  return isOpen ? &table : nullptr;
}

} // namespace tensorjit::eager
