#pragma once
#include "Nvrtc.h"

#include <cuda.h>
#include <gtest/gtest.h>

#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

/// One context for a test, modules and buffers in it. The same calls run on a real driver.
class Device : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxCreate(&context_, nullptr, 0, 0), CUDA_SUCCESS);
  }
  void TearDown() override { cuCtxDestroy(context_); }

  CUfunction load(const std::string &ptx, const char *name) {
    char log[4096] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    EXPECT_EQ(cuModuleLoadDataEx(&module, ptx.c_str(), 2, options, values), CUDA_SUCCESS) << log;
    if (module) {
      EXPECT_EQ(cuModuleGetFunction(&function, module, name), CUDA_SUCCESS);
    }
    return function;
  }
  CUfunction compile(const std::string &cuda, const char *name, const char *architecture = "compute_90") {
    return load(compileCuda(cuda, architecture), name);
  }

  template <class T> CUdeviceptr upload(const std::vector<T> &values) {
    CUdeviceptr p = allocate(values.size() * sizeof(T));
    EXPECT_EQ(cuMemcpyHtoD(p, values.data(), values.size() * sizeof(T)), CUDA_SUCCESS);
    return p;
  }
  CUdeviceptr allocate(size_t bytes) {
    CUdeviceptr p = 0;
    EXPECT_EQ(cuMemAlloc(&p, bytes), CUDA_SUCCESS);
    return p;
  }
  template <class T> std::vector<T> download(CUdeviceptr p, size_t count) {
    std::vector<T> out(count);
    EXPECT_EQ(cuMemcpyDtoH(out.data(), p, count * sizeof(T)), CUDA_SUCCESS);
    return out;
  }

  struct Shape {
    unsigned x = 1, y = 1, z = 1;
  };
  template <class... A> CUresult run(CUfunction f, Shape grid, Shape block, unsigned shared, A... arguments) {
    void *parameters[] = {&arguments..., nullptr};
    CUresult result =
        cuLaunchKernel(f, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared, nullptr, parameters, nullptr);
    return result ? result : cuCtxSynchronize();
  }

  CUcontext context_ = nullptr;
};

/// Whether the driver is the stand-in: only it reports and counts.
inline bool isStandIn() { return dlsym(RTLD_DEFAULT, "cudasimCounters") != nullptr; }

inline std::string countersJson() {
  auto read = reinterpret_cast<size_t (*)(char *, size_t)>(dlsym(RTLD_DEFAULT, "cudasimCounters"));
  std::string text(read(nullptr, 0), '\0');
  read(text.data(), text.size());
  text.pop_back();
  return text;
}
inline void resetCounters() { reinterpret_cast<void (*)()>(dlsym(RTLD_DEFAULT, "cudasimResetCounters"))(); }
