#include "cuda/Nvrtc.h"

#include "tensorjit/error.h"

#include <algorithm>
#include <dlfcn.h>
#include <memory>
#include <vector>

namespace tensorjit::cuda {
namespace {

using Program = struct _nvrtcProgram *;

/// NVRTC's functions, found by name; each of the project's uses is one line.
class Library {
public:
  explicit Library(const std::string &path) : handle_(open(path)) {
    if (!handle_) throw device_error(std::string("NVRTC cannot be opened: ") + dlerror());
    find(create, "nvrtcCreateProgram");
    find(destroy, "nvrtcDestroyProgram");
    find(compile, "nvrtcCompileProgram");
    find(logSize, "nvrtcGetProgramLogSize");
    find(log, "nvrtcGetProgramLog");
    find(ptxSize, "nvrtcGetPTXSize");
    find(ptx, "nvrtcGetPTX");
    find(errorText, "nvrtcGetErrorString");
    find(numArchs, "nvrtcGetNumSupportedArchs");
    find(archs, "nvrtcGetSupportedArchs");
  }

  int (*create)(Program *, const char *source, const char *name, int headers, const char *const *, const char *const *);
  int (*destroy)(Program *);
  int (*compile)(Program, int options, const char *const *);
  int (*logSize)(Program, size_t *);
  int (*log)(Program, char *);
  int (*ptxSize)(Program, size_t *);
  int (*ptx)(Program, char *);
  const char *(*errorText)(int);
  int (*numArchs)(int *);
  int (*archs)(int *);

  void check(int result, const std::string &log = "") const {
    if (result) throw compile_error(std::string("NVRTC: ") + errorText(result) + (log.empty() ? "" : "\n" + log));
  }

private:
  static void *open(const std::string &path) {
    if (!path.empty()) return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    void *newest = dlopen("libnvrtc.so.13", RTLD_NOW | RTLD_LOCAL);
    return newest ? newest : dlopen("libnvrtc.so", RTLD_NOW | RTLD_LOCAL);
  }
  template <class F> void find(F &function, const char *name) {
    function = reinterpret_cast<F>(dlsym(handle_, name));
    if (!function) throw device_error(std::string("NVRTC has no ") + name);
  }

  void *handle_; ///< stays open: unloading a compiler that holds threads is not safe
};

std::string text(const Library &nvrtc, Program program, int (*size)(Program, size_t *), int (*get)(Program, char *)) {
  size_t bytes = 0;
  nvrtc.check(size(program, &bytes));
  std::string out(bytes, '\0');
  nvrtc.check(get(program, out.data()));
  out.resize(out.find('\0'));
  return out;
}

} // namespace

std::string architectureFor(int device, const std::string &library) {
  Library nvrtc(library);
  int count = 0;
  nvrtc.check(nvrtc.numArchs(&count));
  std::vector<int> known(static_cast<size_t>(count));
  nvrtc.check(nvrtc.archs(known.data()));
  int best = 0, oldest = known.empty() ? 0 : known[0];
  for (int arch : known) {
    oldest = std::min(oldest, arch);
    if (arch <= device) best = std::max(best, arch);
  }
  if (!best)
    throw device_error("NVRTC has no code for a device of compute capability " + std::to_string(device / 10) + "." +
                       std::to_string(device % 10) + ", the oldest that it knows is " + std::to_string(oldest / 10) +
                       "." + std::to_string(oldest % 10));
  return "compute_" + std::to_string(best);
}

const void *addressIn(const std::string &library) { return reinterpret_cast<const void *>(Library(library).create); }

std::string compileToPtx(const std::string &program, const std::string &architecture, const std::string &library) {
  Library nvrtc(library);
  Program handle = nullptr;
  nvrtc.check(nvrtc.create(&handle, program.c_str(), "kernels.cu", 0, nullptr, nullptr));
  auto destroy = [&](Program *p) { nvrtc.destroy(p); };
  std::unique_ptr<Program, decltype(destroy)> guard(&handle, destroy);

  std::string target = "-arch=" + architecture;
  // What the preludes of C++ and CUDA define and no kernel uses takes longer than a small kernel. Never `-Ofc`: what is
  // indexed in loops then stays in local memory, not in registers.
  const char *options[] = {target.c_str(),
                           "-std=c++17",
                           "-fmad=false",
                           "-ftz=false",
                           "-prec-div=true",
                           "-prec-sqrt=true",
                           "-default-device",
                           "-minimal",
                           "-no-source-include",
                           "-builtin-initializer-list=false",
                           "-builtin-move-forward=false"};
  int result = nvrtc.compile(handle, static_cast<int>(std::size(options)), options);
  if (result) nvrtc.check(result, text(nvrtc, handle, nvrtc.logSize, nvrtc.log));
  return text(nvrtc, handle, nvrtc.ptxSize, nvrtc.ptx);
}

} // namespace tensorjit::cuda
