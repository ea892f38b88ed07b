#pragma once
/// The CUDA driver as a table of its functions, found by name at run time: the project needs no CUDA to be built.
/// Types are the driver's, written out; each function is one line.
#include <cstddef>
#include <string>

namespace tensorjit::device::cuda {

using Result = int;
using DeviceNumber = int;
using Address = unsigned long long;
using Context = void *;
using Stream = void *;
using Event = void *;
using CodeModule = void *;
using Function = void *;

/// CUDA_MEMCPY2D, of device memory.
struct RowsCopy {
  size_t fromX = 0, fromY = 0;
  unsigned fromType = 2; // DEVICE
  const void *fromHost = nullptr;
  Address from = 0;
  void *fromArray = nullptr;
  size_t fromPitch = 0, toX = 0, toY = 0;
  unsigned toType = 2;
  void *toHost = nullptr;
  Address to = 0;
  void *toArray = nullptr;
  size_t toPitch = 0, bytes = 0, rows = 0;
};

#define TENSORJIT_CUDA_FUNCTIONS(X)                                                                                    \
  X(cuInit, unsigned flags)                                                                                            \
  X(cuDriverGetVersion, int *)                                                                                         \
  X(cuGetErrorName, Result, const char **)                                                                             \
  X(cuGetErrorString, Result, const char **)                                                                           \
  X(cuDeviceGetCount, int *)                                                                                           \
  X(cuDeviceGet, DeviceNumber *, int ordinal)                                                                          \
  X(cuDeviceGetAttribute, int *, int attribute, DeviceNumber)                                                          \
  X(cuDevicePrimaryCtxRetain, Context *, DeviceNumber)                                                                 \
  X(cuCtxSetCurrent, Context)                                                                                          \
  X(cuMemAlloc_v2, Address *, size_t bytes)                                                                            \
  X(cuMemFree_v2, Address)                                                                                             \
  X(cuMemHostAlloc, void **, size_t bytes, unsigned flags)                                                             \
  X(cuMemFreeHost, void *)                                                                                             \
  X(cuPointerGetAttribute, void *value, int attribute, Address)                                                        \
  X(cuMemcpyHtoDAsync_v2, Address to, const void *from, size_t bytes, Stream)                                          \
  X(cuMemcpyDtoHAsync_v2, void *to, Address from, size_t bytes, Stream)                                                \
  X(cuMemcpyDtoDAsync_v2, Address to, Address from, size_t bytes, Stream)                                              \
  X(cuMemcpy2DAsync_v2, const RowsCopy *, Stream)                                                                      \
  X(cuMemsetD8Async, Address, unsigned char, size_t count, Stream)                                                     \
  X(cuMemsetD16Async, Address, unsigned short, size_t count, Stream)                                                   \
  X(cuMemsetD32Async, Address, unsigned, size_t count, Stream)                                                         \
  X(cuMemsetD2D32Async, Address, size_t pitch, unsigned, size_t width, size_t height, Stream)                          \
  X(cuStreamCreate, Stream *, unsigned flags)                                                                          \
  X(cuStreamSynchronize, Stream)                                                                                       \
  X(cuStreamQuery, Stream)                                                                                             \
  X(cuStreamWaitEvent, Stream, Event, unsigned flags)                                                                  \
  X(cuEventCreate, Event *, unsigned flags)                                                                            \
  X(cuEventDestroy_v2, Event)                                                                                          \
  X(cuEventRecord, Event, Stream)                                                                                      \
  X(cuEventQuery, Event)                                                                                               \
  X(cuEventSynchronize, Event)                                                                                         \
  X(cuEventElapsedTime, float *, Event from, Event to)                                                                 \
  X(cuModuleLoadDataEx, CodeModule *, const void *image, unsigned count, int *options, void **values)                  \
  X(cuModuleUnload, CodeModule)                                                                                        \
  X(cuModuleGetFunction, Function *, CodeModule, const char *name)                                                     \
  X(cuLaunchKernel, Function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY,        \
    unsigned blockZ, unsigned sharedBytes, Stream, void **parameters, void **extra)

/// The table. Throws nothing: `why` is empty where all functions were found and the driver has started.
struct Driver {
#define TENSORJIT_DECLARE(name, ...) Result (*name)(__VA_ARGS__) = nullptr;
  TENSORJIT_CUDA_FUNCTIONS(TENSORJIT_DECLARE)
#undef TENSORJIT_DECLARE
  std::string why; ///< it cannot be used, in the driver's or the loader's words
  int version = 0; ///< of CUDA that it supports: 13000
  int devices = 0;

  /// "CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)"
  std::string text(Result result) const;
};

/// Opened at the first call.
const Driver &driver();

constexpr Result success = 0, outOfMemory = 2, notReady = 600;

} // namespace tensorjit::device::cuda
