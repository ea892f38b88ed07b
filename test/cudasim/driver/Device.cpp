// cuInit, versions, what the device is, and the names of errors.
#include "driver/Api.h"

#include "device/Settings.h"

#include <cstring>

using namespace cudasim;

CUDASIM_API cuInit(unsigned flags) {
  return unchecked([&] {
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    driver().initialized = true;
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuDriverGetVersion(int *version) {
  if (!version) return CUDA_ERROR_INVALID_VALUE;
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}

CUDASIM_API cuDeviceGetCount(int *count) {
  return initialized([&] {
    if (!count) return CUDA_ERROR_INVALID_VALUE;
    *count = 1;
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuDeviceGet(CUdevice *device, int ordinal) {
  return initialized([&] {
    if (!device) return CUDA_ERROR_INVALID_VALUE;
    if (ordinal) return CUDA_ERROR_INVALID_DEVICE;
    *device = 0;
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuDeviceGetName(char *name, int length, CUdevice device) {
  return initialized([&] {
    if (!name || length <= 0) return CUDA_ERROR_INVALID_VALUE;
    if (device) return CUDA_ERROR_INVALID_DEVICE;
    std::strncpy(name, "cudasim stand-in device", static_cast<size_t>(length) - 1);
    name[length - 1] = '\0';
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) {
  return initialized([&] {
    if (!uuid) return CUDA_ERROR_INVALID_VALUE;
    if (device) return CUDA_ERROR_INVALID_DEVICE;
    std::memcpy(uuid->bytes, "cudasim-stand-in", 16);
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  return initialized([&] {
    if (!bytes) return CUDA_ERROR_INVALID_VALUE;
    if (device) return CUDA_ERROR_INVALID_DEVICE;
    *bytes = settings().memoryBytes;
    return CUDA_SUCCESS;
  });
}

namespace {

/// An H100's, where the stand-in has a choice.
int attribute(CUdevice_attribute which) {
  switch (which) {
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y: return 1024;
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z: return 64;
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X: return 2147483647;
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z: return 65535;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: return 49152;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: return 232448;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR: return 233472;
  case CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK: return 1024;
  case CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY: return 65536;
  case CU_DEVICE_ATTRIBUTE_WARP_SIZE: return 32;
  case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
  case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR: return 65536;
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: return 132;
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR: return 2048;
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR: return 32;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: return settings().architecture / 10;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: return settings().architecture % 10;
  case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE: return 52428800;
  case CU_DEVICE_ATTRIBUTE_CLOCK_RATE: return 1980000;
  case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE: return 2619000;
  case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH: return 5120;
  case CU_DEVICE_ATTRIBUTE_MAX_PITCH: return 2147483647;
  case CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT: return 512;
  case CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT: return 32;
  case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT: return 3;
  case CU_DEVICE_ATTRIBUTE_GPU_OVERLAP:
  case CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS:
  case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
  case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
  case CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH:
  case CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM:
  case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED: return 1;
  default: return 0; // managed memory, clusters, tensor maps, peers: none
  }
}

struct ErrorText {
  CUresult code;
  const char *name, *text;
};
#define CUDASIM_ERROR(code, text)                                                                                      \
  { code, #code, text }
constexpr ErrorText errors[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    CUDASIM_ERROR(CUDA_ERROR_INVALID_VALUE, "invalid argument"),
    CUDASIM_ERROR(CUDA_ERROR_OUT_OF_MEMORY, "out of memory"),
    CUDASIM_ERROR(CUDA_ERROR_NOT_INITIALIZED, "initialization error"),
    CUDASIM_ERROR(CUDA_ERROR_DEINITIALIZED, "driver shutting down"),
    CUDASIM_ERROR(CUDA_ERROR_NO_DEVICE, "no CUDA-capable device is detected"),
    CUDASIM_ERROR(CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal"),
    CUDASIM_ERROR(CUDA_ERROR_INVALID_IMAGE, "device kernel image is invalid"),
    CUDASIM_ERROR(CUDA_ERROR_INVALID_CONTEXT, "invalid device context"),
    CUDASIM_ERROR(CUDA_ERROR_NO_BINARY_FOR_GPU, "no kernel image is available for execution on the device"),
    CUDASIM_ERROR(CUDA_ERROR_INVALID_PTX, "a PTX JIT compilation failed"),
    CUDASIM_ERROR(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "the provided PTX was compiled with an unsupported toolchain."),
    CUDASIM_ERROR(CUDA_ERROR_INVALID_SOURCE, "device kernel image is invalid"),
    CUDASIM_ERROR(CUDA_ERROR_FILE_NOT_FOUND, "file not found"),
    CUDASIM_ERROR(CUDA_ERROR_INVALID_HANDLE, "invalid resource handle"),
    CUDASIM_ERROR(CUDA_ERROR_ILLEGAL_STATE, "the operation cannot be performed in the present state"),
    CUDASIM_ERROR(CUDA_ERROR_NOT_FOUND, "named symbol not found"),
    CUDASIM_ERROR(CUDA_ERROR_NOT_READY, "device not ready"),
    CUDASIM_ERROR(CUDA_ERROR_ILLEGAL_ADDRESS, "an illegal memory access was encountered"),
    CUDASIM_ERROR(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "too many resources requested for launch"),
    CUDASIM_ERROR(CUDA_ERROR_LAUNCH_TIMEOUT, "the launch timed out and was terminated"),
    CUDASIM_ERROR(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, "cannot set while device is active in this process"),
    CUDASIM_ERROR(CUDA_ERROR_CONTEXT_IS_DESTROYED, "context is destroyed"),
    CUDASIM_ERROR(CUDA_ERROR_ASSERT, "device-side assert triggered"),
    CUDASIM_ERROR(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
                  "part or all of the requested memory range is already mapped"),
    CUDASIM_ERROR(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, "pointer does not correspond to a registered memory region"),
    CUDASIM_ERROR(CUDA_ERROR_HARDWARE_STACK_ERROR, "hardware stack error"),
    CUDASIM_ERROR(CUDA_ERROR_ILLEGAL_INSTRUCTION, "an illegal instruction was encountered"),
    CUDASIM_ERROR(CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address"),
    CUDASIM_ERROR(CUDA_ERROR_INVALID_ADDRESS_SPACE, "operation not supported on global/shared address space"),
    CUDASIM_ERROR(CUDA_ERROR_INVALID_PC, "invalid program counter"),
    CUDASIM_ERROR(CUDA_ERROR_LAUNCH_FAILED, "unspecified launch failure"),
    CUDASIM_ERROR(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "too many blocks in cooperative launch"),
    CUDASIM_ERROR(CUDA_ERROR_NOT_PERMITTED, "operation not permitted"),
    CUDASIM_ERROR(CUDA_ERROR_NOT_SUPPORTED, "operation not supported"),
    CUDASIM_ERROR(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "operation not permitted when stream is capturing"),
    CUDASIM_ERROR(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "operation failed due to a previous error during capture"),
    CUDASIM_ERROR(CUDA_ERROR_STREAM_CAPTURE_MERGE, "operation would result in a merge of separate capture sequences"),
    CUDASIM_ERROR(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, "capture was not ended in the same stream as it began"),
    CUDASIM_ERROR(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, "capturing stream has unjoined work"),
    CUDASIM_ERROR(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, "dependency created on uncaptured work in another stream"),
    CUDASIM_ERROR(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
                  "operation would make the legacy stream depend on a capturing blocking stream"),
    CUDASIM_ERROR(CUDA_ERROR_CAPTURED_EVENT, "operation not permitted on an event last recorded in a capturing stream"),
    CUDASIM_ERROR(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
                  "the graph update was not performed because it included changes which violated constraints specific "
                  "to instantiated graph update"),
    CUDASIM_ERROR(CUDA_ERROR_INVALID_CLUSTER_SIZE, "cluster size is invalid"),
    CUDASIM_ERROR(CUDA_ERROR_UNKNOWN, "unknown error"),
};

const ErrorText *textOf(CUresult code) {
  for (auto &e : errors)
    if (e.code == code) return &e;
  return nullptr;
}

} // namespace

CUDASIM_API cuDeviceGetAttribute(int *value, CUdevice_attribute which, CUdevice device) {
  return initialized([&] {
    if (!value || which <= 0 || which >= CU_DEVICE_ATTRIBUTE_MAX) return CUDA_ERROR_INVALID_VALUE;
    if (device) return CUDA_ERROR_INVALID_DEVICE;
    *value = attribute(which);
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuDeviceGetPCIBusId(char *text, int length, CUdevice device) {
  return initialized([&] {
    if (!text || length < 13) return CUDA_ERROR_INVALID_VALUE;
    if (device) return CUDA_ERROR_INVALID_DEVICE;
    std::strcpy(text, "0000:00:00.0");
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuDeviceCanAccessPeer(int *can, CUdevice, CUdevice) {
  return initialized([&] {
    if (!can) return CUDA_ERROR_INVALID_VALUE;
    *can = 0;
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuGetErrorName(CUresult code, const char **name) {
  if (!name) return CUDA_ERROR_INVALID_VALUE;
  const ErrorText *e = textOf(code);
  *name = e ? e->name : nullptr;
  return e ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUDASIM_API cuGetErrorString(CUresult code, const char **text) {
  if (!text) return CUDA_ERROR_INVALID_VALUE;
  const ErrorText *e = textOf(code);
  *text = e ? e->text : nullptr;
  return e ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
