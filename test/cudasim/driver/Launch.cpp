// Functions: attributes, occupancy, launches.
#include "driver/Launch.h"
#include "driver/Api.h"
#include "driver/Queue.h"

#include <algorithm>
#include <cstring>

using namespace cudasim;

namespace {

constexpr uint32_t sharedPerMultiprocessor = 233472, sharedOptIn = 232448, sharedDefault = 49152;

/// Registers a thread would need: what is live at once, as no better is known without ptxas.
int registersOf(const Program &program) {
  return static_cast<int>(std::min<uint32_t>(255, std::max<uint32_t>(16, program.entry().registerUnits)));
}

int maxThreads(const Program &program) {
  const ptx::Function &f = *program.entry().function;
  const int *limit = f.requiredThreads[0] ? f.requiredThreads : f.maxThreads;
  return limit[0] ? std::min(1024, limit[0] * std::max(1, limit[1]) * std::max(1, limit[2])) : 1024;
}

uint32_t dynamicLimit(const Function &f) {
  auto set = f.attributes.find(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  return set == f.attributes.end() ? sharedDefault - std::min(sharedDefault, f.program->staticSharedBytes)
                                   : static_cast<uint32_t>(set->second);
}

int attribute(const Function &f, CUfunction_attribute which) {
  const ptx::Module &text = *f.module->text;
  switch (which) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: return maxThreads(*f.program);
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: return static_cast<int>(f.program->staticSharedBytes);
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: return static_cast<int>(f.program->entry().localBytes);
  case CU_FUNC_ATTRIBUTE_NUM_REGS: return registersOf(*f.program);
  case CU_FUNC_ATTRIBUTE_PTX_VERSION: return text.versionMajor * 10 + text.versionMinor;
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION: return std::atoi(text.target.c_str() + 3);
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: return static_cast<int>(dynamicLimit(f));
  default: {
    auto set = f.attributes.find(which);
    return set == f.attributes.end() ? 0 : set->second;
  }
  }
}

int activeBlocks(const Function &f, int threads, size_t dynamicShared) {
  if (threads <= 0 || threads > maxThreads(*f.program)) return 0;
  size_t shared = f.program->staticSharedBytes + dynamicShared;
  if (shared > sharedOptIn) return 0;
  int warps = (threads + 31) / 32, registers = (registersOf(*f.program) * 32 + 255) / 256 * 256 * warps;
  int blocks = std::min(32, 64 / warps);
  blocks = std::min(blocks, 65536 / registers);
  return std::min<int>(blocks, static_cast<int>(sharedPerMultiprocessor / (shared + 1024)));
}

CUresult packParameters(const Program &program, void **parameters, void **extra, std::vector<std::byte> &out) {
  out.assign(program.paramBytes, std::byte{0});
  if (parameters) {
    for (size_t i = 0; i < program.parameters.size(); ++i) {
      if (!parameters[i]) return CUDA_ERROR_INVALID_VALUE;
      std::memcpy(out.data() + program.parameters[i].at, parameters[i], program.parameters[i].size);
    }
    return CUDA_SUCCESS;
  }
  if (!extra) return program.parameters.empty() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  const void *buffer = nullptr;
  size_t size = 0;
  for (size_t i = 0; extra[i] != CU_LAUNCH_PARAM_END; i += 2) {
    if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = extra[i + 1];
    else if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE) size = *static_cast<size_t *>(extra[i + 1]);
    else return CUDA_ERROR_INVALID_VALUE;
  }
  if (size < program.paramBytes || (size && !buffer)) return CUDA_ERROR_INVALID_VALUE;
  if (program.paramBytes) std::memcpy(out.data(), buffer, program.paramBytes);
  return CUDA_SUCCESS;
}

CUresult checkShape(const Function &f, const LaunchShape &s) {
  for (int i = 0; i < 3; ++i)
    if (!s.grid[i] || !s.block[i]) return CUDA_ERROR_INVALID_VALUE;
  if (s.grid[0] > 2147483647u || s.grid[1] > 65535 || s.grid[2] > 65535) return CUDA_ERROR_INVALID_VALUE;
  if (s.block[0] > 1024 || s.block[1] > 1024 || s.block[2] > 64) return CUDA_ERROR_INVALID_VALUE;
  uint64_t threads = uint64_t(s.block[0]) * s.block[1] * s.block[2];
  if (threads > 1024) return CUDA_ERROR_INVALID_VALUE;
  const ptx::Function &function = *f.program->entry().function;
  if (static_cast<int>(threads) > maxThreads(*f.program)) return CUDA_ERROR_INVALID_VALUE;
  for (int i = 0; i < 3; ++i)
    if (function.requiredThreads[0] && s.block[i] != static_cast<uint32_t>(function.requiredThreads[i]))
      return CUDA_ERROR_INVALID_VALUE;
  if (s.dynamicShared > dynamicLimit(f) || s.dynamicShared + f.program->staticSharedBytes > sharedOptIn)
    return CUDA_ERROR_INVALID_VALUE;
  if (function.clusterDim[0] * function.clusterDim[1] * function.clusterDim[2] > 1) return CUDA_ERROR_NOT_SUPPORTED;
  if (s.cooperative &&
      s.blocks() > 132ull * static_cast<unsigned>(activeBlocks(f, static_cast<int>(threads), s.dynamicShared)))
    return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
  return CUDA_SUCCESS;
}

CUresult launch(Context &context, CUfunction handle, const LaunchShape &shape, CUstream streamHandle, void **parameters,
                void **extra) {
  KernelWork work;
  if (CUresult error = makeKernelWork(handle, shape, parameters, extra, work)) return error;
  Stream *stream = streamOf(context, streamHandle);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  return submit(*stream, std::move(work), CU_GRAPH_NODE_TYPE_KERNEL);
}

} // namespace

namespace cudasim {

CUresult makeKernelWork(CUfunction handle, const LaunchShape &shape, void **parameters, void **extra,
                        KernelWork &work) {
  auto *f = object<Function>(handle);
  if (!f) return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult error = checkShape(*f, shape)) return error;
  work = {f->program, f->module->text, f, shape, {}};
  return packParameters(*f->program, parameters, extra, work.parameters);
}

} // namespace cudasim

CUDASIM_API cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                           unsigned shared, CUstream stream, void **parameters, void **extra) {
  return inContext([&](Context &context) {
    return launch(context, f, {{gx, gy, gz}, {bx, by, bz}, shared, false}, stream, parameters, extra);
  });
}

CUDASIM_API cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                      unsigned bz, unsigned shared, CUstream stream, void **parameters) {
  return inContext([&](Context &context) {
    return launch(context, f, {{gx, gy, gz}, {bx, by, bz}, shared, true}, stream, parameters, nullptr);
  });
}

CUDASIM_API cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **parameters, void **extra) {
  return inContext([&](Context &context) -> CUresult {
    if (!config || (config->numAttrs && !config->attrs)) return CUDA_ERROR_INVALID_VALUE;
    LaunchShape shape{{config->gridDimX, config->gridDimY, config->gridDimZ},
                      {config->blockDimX, config->blockDimY, config->blockDimZ},
                      config->sharedMemBytes,
                      false};
    for (unsigned i = 0; i < config->numAttrs; ++i) {
      const CUlaunchAttribute &a = config->attrs[i];
      if (a.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) shape.cooperative = a.value.cooperative != 0;
      if (a.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION &&
          a.value.clusterDim.x * a.value.clusterDim.y * a.value.clusterDim.z > 1)
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    return launch(context, f, shape, config->hStream, parameters, extra);
  });
}

CUDASIM_API cuFuncGetAttribute(int *value, CUfunction_attribute which, CUfunction handle) {
  return inContext([&](Context &) {
    auto *f = object<Function>(handle);
    if (!f) return CUDA_ERROR_INVALID_HANDLE;
    if (!value || which >= CU_FUNC_ATTRIBUTE_MAX) return CUDA_ERROR_INVALID_VALUE;
    *value = attribute(*f, which);
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuFuncSetAttribute(CUfunction handle, CUfunction_attribute which, int value) {
  return inContext([&](Context &) {
    auto *f = object<Function>(handle);
    if (!f) return CUDA_ERROR_INVALID_HANDLE;
    bool dynamic = which == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    if (dynamic && (value < 0 || static_cast<uint32_t>(value) + f->program->staticSharedBytes > sharedOptIn))
      return CUDA_ERROR_INVALID_VALUE;
    if (!dynamic && which < CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) return CUDA_ERROR_INVALID_VALUE;
    f->attributes[which] = value;
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuFuncSetCacheConfig(CUfunction handle, CUfunc_cache) {
  return inContext([&](Context &) { return object<Function>(handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE; });
}

CUDASIM_API cuFuncGetModule(CUmodule *module, CUfunction handle) {
  return inContext([&](Context &) {
    auto *f = object<Function>(handle);
    if (!f) return CUDA_ERROR_INVALID_HANDLE;
    if (!module) return CUDA_ERROR_INVALID_VALUE;
    *module = reinterpret_cast<CUmodule>(f->module);
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuFuncGetName(const char **name, CUfunction handle) {
  return inContext([&](Context &) {
    auto *f = object<Function>(handle);
    if (!f) return CUDA_ERROR_INVALID_HANDLE;
    if (!name) return CUDA_ERROR_INVALID_VALUE;
    *name = f->program->name.c_str();
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuFuncGetParamInfo(CUfunction handle, size_t index, size_t *offset, size_t *size) {
  return inContext([&](Context &) {
    auto *f = object<Function>(handle);
    if (!f) return CUDA_ERROR_INVALID_HANDLE;
    if (!offset || index >= f->program->parameters.size()) return CUDA_ERROR_INVALID_VALUE;
    *offset = f->program->parameters[index].at;
    if (size) *size = f->program->parameters[index].size;
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction handle) {
  return inContext([&](Context &) {
    if (!object<Function>(handle)) return CUDA_ERROR_INVALID_HANDLE;
    if (!state) return CUDA_ERROR_INVALID_VALUE;
    *state = CU_FUNCTION_LOADING_STATE_LOADED;
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuFuncLoad(CUfunction handle) {
  return inContext([&](Context &) { return object<Function>(handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE; });
}

CUDASIM_API cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction handle, int threads,
                                                                 size_t shared, unsigned) {
  return inContext([&](Context &) {
    auto *f = object<Function>(handle);
    if (!f) return CUDA_ERROR_INVALID_HANDLE;
    if (!blocks || threads <= 0) return CUDA_ERROR_INVALID_VALUE;
    *blocks = activeBlocks(*f, threads, shared);
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction f, int threads, size_t shared) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, f, threads, shared, 0);
}

CUDASIM_API cuOccupancyMaxPotentialBlockSizeWithFlags(int *minGrid, int *blockSize, CUfunction handle,
                                                      CUoccupancyB2DSize sharedOf, size_t shared, int limit, unsigned) {
  return inContext([&](Context &) {
    auto *f = object<Function>(handle);
    if (!f) return CUDA_ERROR_INVALID_HANDLE;
    if (!minGrid || !blockSize) return CUDA_ERROR_INVALID_VALUE;
    int best = 0, most = maxThreads(*f->program);
    for (int threads = limit > 0 ? std::min(limit, most) : most; threads >= 32; threads -= 32) {
      int active = activeBlocks(*f, threads, sharedOf ? sharedOf(threads) : shared);
      if (active * threads > best) {
        best = active * threads;
        *blockSize = threads;
        *minGrid = active * 132;
      }
    }
    return best ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

CUDASIM_API cuOccupancyMaxPotentialBlockSize(int *minGrid, int *blockSize, CUfunction f, CUoccupancyB2DSize sharedOf,
                                             size_t shared, int limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(minGrid, blockSize, f, sharedOf, shared, limit, 0);
}

CUDASIM_API cuLaunchHostFunc(CUstream handle, CUhostFn function, void *data) {
  return inContext([&](Context &context) -> CUresult {
    if (!function) return CUDA_ERROR_INVALID_VALUE;
    Stream *stream = streamOf(context, handle);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    return submit(*stream, HostWork{function, data}, CU_GRAPH_NODE_TYPE_HOST);
  });
}
