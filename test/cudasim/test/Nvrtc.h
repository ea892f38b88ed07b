#pragma once
#include <dlfcn.h>
#include <stdexcept>
#include <string>

/// Compiles CUDA C++ to PTX with the NVRTC library at CUDASIM_NVRTC (set by CMake).
inline std::string compileCuda(const std::string &source, const std::string &architecture = "compute_90") {
  using Program = void *;
  static void *library = dlopen(CUDASIM_NVRTC, RTLD_NOW);
  if (!library) throw std::runtime_error(dlerror());
  auto create =
      reinterpret_cast<int (*)(Program *, const char *, const char *, int, const char *const *, const char *const *)>(
          dlsym(library, "nvrtcCreateProgram"));
  auto compile = reinterpret_cast<int (*)(Program, int, const char *const *)>(dlsym(library, "nvrtcCompileProgram"));
  auto destroy = reinterpret_cast<int (*)(Program *)>(dlsym(library, "nvrtcDestroyProgram"));
  using Size = int (*)(Program, size_t *);
  using Get = int (*)(Program, char *);
  auto text = [&](Program program, const char *size, const char *get) {
    size_t bytes = 0;
    reinterpret_cast<Size>(dlsym(library, size))(program, &bytes);
    std::string out(bytes, '\0');
    reinterpret_cast<Get>(dlsym(library, get))(program, out.data());
    return out.substr(0, out.find('\0'));
  };
  Program program = nullptr;
  create(&program, source.c_str(), "kernel.cu", 0, nullptr, nullptr);
  std::string arch = "-arch=" + architecture;
  const char *options[] = {arch.c_str(), "-std=c++17", "-default-device", "-lineinfo"};
  int result = compile(program, 4, options);
  std::string out = result ? text(program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog")
                           : text(program, "nvrtcGetPTXSize", "nvrtcGetPTX");
  destroy(&program);
  if (result) throw std::runtime_error(out);
  return out;
}
