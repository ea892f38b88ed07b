#include "CudaRunner.h"

#include "cuda/Nvrtc.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <unistd.h>

using namespace mlir;

namespace tensorjit::cuda::test {

static void check(CUresult result, const std::string &what) {
  if (result == CUDA_SUCCESS) return;
  const char *text = "?";
  cuGetErrorString(result, &text);
  throw std::runtime_error(what + ": " + text);
}

PtxasReport assemble(const std::string &source, const char *virtualArchitecture, const char *architecture) {
  char file[] = "/tmp/tensorjit-ptxas-XXXXXX";
  close(mkstemp(file));
  std::ofstream(file) << compileToPtx(source, virtualArchitecture, TENSORJIT_TEST_NVRTC);
  FILE *pipe = popen(
      (std::string(TENSORJIT_TEST_PTXAS " -v -o /dev/null -arch=") + architecture + " " + file + " 2>&1").c_str(), "r");
  PtxasReport report;
  char line[4096];
  while (std::fgets(line, sizeof line, pipe)) {
    report.output += line;
    int registers = 0, spilled = 0;
    if (const char *used = std::strstr(line, "Used ");
        used && std::sscanf(used, "Used %d registers", &registers) == 1) {
      ++report.kernels;
      report.mostRegisters = std::max(report.mostRegisters, registers);
    }
    if (const char *spill = std::strstr(line, "bytes stack frame, ");
        spill && std::sscanf(spill, "bytes stack frame, %d bytes spill", &spilled) == 1)
      report.spilledBytes += spilled;
  }
  report.status = pclose(pipe);
  std::remove(file);
  return report;
}

CudaLibrary::CudaLibrary(ArrayRef<Operation *> kernels) {
  auto program = printProgram(kernels, /*mostSources=*/2);
  if (failed(program)) throw std::runtime_error("a kernel has no CUDA form");
  program_ = std::move(*program);
  if (const char *file = getenv("TENSORJIT_TEST_DUMP"))
    for (std::ofstream out(file); const std::string &source : program_.sources) out << source;
  check(cuInit(0), "cuInit");
  check(cuCtxCreate(&context_, nullptr, 0, 0), "cuCtxCreate");
  for (const std::string &source : program_.sources) {
    std::string ptx = compileToPtx(source, "compute_90", TENSORJIT_TEST_NVRTC);
    check(cuModuleLoadData(&modules_.emplace_back(), ptx.c_str()), "cuModuleLoadData");
  }
}

CUfunction CudaLibrary::function(const std::string &name) const {
  CUfunction function = nullptr;
  for (CUmodule module : modules_)
    if (cuModuleGetFunction(&function, module, name.c_str()) == CUDA_SUCCESS) return function;
  throw std::runtime_error("no kernel " + name);
}

CudaLibrary::~CudaLibrary() { cuCtxDestroy(context_); }

static CUdeviceptr allocate(size_t bytes) {
  CUdeviceptr pointer = 0;
  check(cuMemAlloc(&pointer, std::max<size_t>(bytes, 1)), "cuMemAlloc");
  return pointer;
}

static CUdeviceptr upload(const void *from, size_t bytes) {
  CUdeviceptr pointer = allocate(bytes);
  check(cuMemcpyHtoD(pointer, from, bytes), "cuMemcpyHtoD");
  return pointer;
}

std::vector<Bytes> CudaLibrary::run(size_t kernel, ArrayRef<Bytes> inputs, ArrayRef<size_t> resultBytes,
                                    DeviceErrorSlot *error) const {
  const KernelLaunch &launch = program_.kernels[kernel];
  std::vector<CUdeviceptr> pointers;
  for (const Bytes &input : inputs) pointers.push_back(upload(input.data(), input.size()));
  for (size_t bytes : resultBytes) pointers.push_back(allocate(bytes));
  if (launch.checksIndex) {
    DeviceErrorSlot none;
    pointers.push_back(upload(error ? error : &none, sizeof none));
  }

  std::vector<void *> arguments;
  for (CUdeviceptr &pointer : pointers) arguments.push_back(&pointer);
  if (launch.grid[0])
    check(cuLaunchKernel(function(launch.name), launch.grid[0], launch.grid[1], launch.grid[2], launch.block[0],
                         launch.block[1], launch.block[2], launch.sharedBytes, nullptr, arguments.data(), nullptr),
          "launch of " + launch.name);
  check(cuCtxSynchronize(), launch.name);

  std::vector<Bytes> results;
  for (auto [number, bytes] : llvm::enumerate(resultBytes)) {
    results.emplace_back(bytes);
    check(cuMemcpyDtoH(results.back().data(), pointers[inputs.size() + number], bytes), "cuMemcpyDtoH");
  }
  if (launch.checksIndex && error) check(cuMemcpyDtoH(error, pointers.back(), sizeof *error), "cuMemcpyDtoH");
  for (CUdeviceptr pointer : pointers) check(cuMemFree(pointer), "cuMemFree");
  return results;
}

} // namespace tensorjit::cuda::test
