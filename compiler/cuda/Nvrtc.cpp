#include "cuda/Nvrtc.h"

#include "tensorjit/error.h"

#include <dlfcn.h>
#include <memory>

namespace tensorjit::cuda {
namespace {

using Program = struct _nvrtcProgram *;

/// NVRTC's functions, found by name; each of the project's uses is one line.
class Library {
public:
  explicit Library(const std::string &path) : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (!handle_) throw compile_error(std::string("NVRTC cannot be opened: ") + dlerror());
    find(create, "nvrtcCreateProgram");
    find(destroy, "nvrtcDestroyProgram");
    find(compile, "nvrtcCompileProgram");
    find(logSize, "nvrtcGetProgramLogSize");
    find(log, "nvrtcGetProgramLog");
    find(ptxSize, "nvrtcGetPTXSize");
    find(ptx, "nvrtcGetPTX");
    find(errorText, "nvrtcGetErrorString");
  }

  int (*create)(Program *, const char *source, const char *name, int headers, const char *const *, const char *const *);
  int (*destroy)(Program *);
  int (*compile)(Program, int options, const char *const *);
  int (*logSize)(Program, size_t *);
  int (*log)(Program, char *);
  int (*ptxSize)(Program, size_t *);
  int (*ptx)(Program, char *);
  const char *(*errorText)(int);

  void check(int result, const std::string &log = "") const {
    if (result) throw compile_error(std::string("NVRTC: ") + errorText(result) + (log.empty() ? "" : "\n" + log));
  }

private:
  template <class F> void find(F &function, const char *name) {
    function = reinterpret_cast<F>(dlsym(handle_, name));
    if (!function) throw compile_error(std::string("NVRTC has no ") + name);
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

std::string compileToPtx(const std::string &program, const std::string &architecture, const std::string &library) {
  Library nvrtc(library);
  Program handle = nullptr;
  nvrtc.check(nvrtc.create(&handle, program.c_str(), "kernels.cu", 0, nullptr, nullptr));
  auto destroy = [&](Program *p) { nvrtc.destroy(p); };
  std::unique_ptr<Program, decltype(destroy)> guard(&handle, destroy);

  std::string target = "-arch=" + architecture;
  const char *options[] = {target.c_str(),   "-std=c++17",      "-fmad=false",    "-ftz=false",
                           "-prec-div=true", "-prec-sqrt=true", "-default-device"};
  int result = nvrtc.compile(handle, static_cast<int>(std::size(options)), options);
  if (result) nvrtc.check(result, text(nvrtc, handle, nvrtc.logSize, nvrtc.log));
  return text(nvrtc, handle, nvrtc.ptxSize, nvrtc.ptx);
}

} // namespace tensorjit::cuda
