// How fast the stand-in executes: warp instructions a second on one core, by kind of kernel.
//   cudasim-bench [KERNEL [SECONDS]]: one kernel alone, for a profiler
#include "test/Nvrtc.h"

#include <cuda.h>
#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

void check(CUresult result, const char *what) {
  if (result == CUDA_SUCCESS) return;
  std::fprintf(stderr, "%s: error %d\n", what, result);
  std::exit(1);
}

const char *const source = R"(
extern "C" __global__ void pointwise(const float4 *x, float4 *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 v = x[i];
  for (int k = 0; k < 4; ++k) { v.x = fmaf(v.x, v.y, 0.5f); v.y = fmaxf(v.y, v.z) * 1.5f; v.z = v.z / (1 + v.w * v.w); v.w = v.w * 0.5f - v.x; }
  y[i] = v;
}
extern "C" __global__ void integer(const unsigned *x, unsigned *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned a = x[i % n], b = i;
  for (int k = 0; k < 64; ++k) { a = a * 1664525u + b; b ^= a >> 13; a += (b << 7) ^ k; b = b * a + (a >> 3); }
  y[i % n] = a ^ b;
}
extern "C" __global__ void gemm(const float *a, const float *b, float *c, int n) {
  __shared__ float ta[32][33], tb[32][33];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 32, column = blockIdx.x * 32;
  float s[4] = {0, 0, 0, 0};
  for (int k = 0; k < n; k += 32) {
    for (int i = ty; i < 32; i += 8) { ta[i][tx] = a[(row + i) * n + k + tx]; tb[i][tx] = b[(k + i) * n + column + tx]; }
    __syncthreads();
    for (int q = 0; q < 32; ++q)
      for (int i = 0; i < 4; ++i) s[i] = fmaf(ta[ty + 8 * i][q], tb[q][tx], s[i]);
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) c[(row + ty + 8 * i) * n + column + tx] = s[i];
}
extern "C" __global__ void softmax(const float *x, float *y, int n) {
  __shared__ float part[8];
  x += blockIdx.x * n; y += blockIdx.x * n;
  float m = -1e30f, s = 0;
  for (int i = threadIdx.x; i < n; i += 256) { float v = x[i], w = fmaxf(m, v); s = s * __expf(m - w) + __expf(v - w); m = w; }
  for (int o = 16; o; o /= 2) { float m2 = __shfl_xor_sync(~0u, m, o), s2 = __shfl_xor_sync(~0u, s, o), w = fmaxf(m, m2); s = s * __expf(m - w) + s2 * __expf(m2 - w); m = w; }
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = m + __logf(s);
  __syncthreads();
  float l = part[0];
  for (int w = 1; w < 8; ++w) { float b = part[w], c = fmaxf(l, b); l = c + __logf(__expf(l - c) + __expf(b - c)); }
  for (int i = threadIdx.x; i < n; i += 256) y[i] = __expf(x[i] - l);
})";

double number(const std::string &json, const char *name) {
  size_t at = json.find(std::string("\"") + name + "\": ");
  return at == json.npos ? 0 : std::atof(json.c_str() + at + std::string(name).size() + 4);
}

struct Program {
  CUmodule module;
  std::string only;
  double least = 0.2; ///< seconds to measure for
  void measure(const char *name, unsigned gx, unsigned gy, unsigned bx, unsigned by, std::vector<void *> parameters) {
    if (!only.empty() && only != name) return;
    CUfunction f;
    check(cuModuleGetFunction(&f, module, name), name);
    auto reset = reinterpret_cast<void (*)()>(dlsym(RTLD_DEFAULT, "cudasimResetCounters"));
    auto read = reinterpret_cast<size_t (*)(char *, size_t)>(dlsym(RTLD_DEFAULT, "cudasimCounters"));
    double best = 0, count = 0, total = 0;
    while (total < least) {
      if (reset) reset();
      auto begin = std::chrono::steady_clock::now();
      check(cuLaunchKernel(f, gx, gy, 1, bx, by, 1, 0, nullptr, parameters.data(), nullptr), name);
      check(cuCtxSynchronize(), name);
      double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      total += seconds;
      std::string json(read ? read(nullptr, 0) : 1, '\0');
      if (read) read(json.data(), json.size());
      count = number(json, "warp_instructions");
      best = std::max(best, count / seconds / 1e6);
    }
    std::printf("%-10s %8.2f M warp instructions, %6.1f M a second\n", name, count / 1e6, best);
  }
};

} // namespace

int main(int argc, char **argv) {
  check(cuInit(0), "cuInit");
  CUcontext context;
  check(cuDevicePrimaryCtxRetain(&context, 0), "context");
  check(cuCtxSetCurrent(context), "context");
  Program program;
  if (argc > 1) program.only = argv[1];
  if (argc > 2) program.least = std::atof(argv[2]);
  check(cuModuleLoadData(&program.module, compileCuda(source).c_str()), "module");
  int n = 256, points = 1 << 16, row = 4096;
  size_t bytes = size_t(1) << 20;
  std::vector<float> values(bytes / 4, 0.25f);
  CUdeviceptr x, y, z;
  check(cuMemAlloc(&x, bytes), "memory");
  check(cuMemAlloc(&y, bytes), "memory");
  check(cuMemAlloc(&z, bytes), "memory");
  check(cuMemcpyHtoD(x, values.data(), bytes), "copy");
  check(cuMemcpyHtoD(y, values.data(), bytes), "copy");
  program.measure("pointwise", points / 256, 1, 256, 1, {&x, &z, &points});
  program.measure("integer", 128, 1, 256, 1, {&x, &z, &points});
  program.measure("gemm", n / 32, n / 32, 32, 8, {&x, &y, &z, &n});
  program.measure("softmax", 64, 1, 256, 1, {&x, &z, &row});
  return 0;
}
