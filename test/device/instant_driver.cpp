// A libcuda.so.1 whose functions return at once and do nothing: what is left of a call's time is the runtime's own.
// INSTANT_DRIVER_VERSION makes it another version of CUDA.
#include "device/cuda/Driver.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

using namespace tensorjit::device::cuda;

namespace {

std::atomic<Address> nextAddress{Address(1) << 40};
int handle;

Result give(void **out) {
  *out = &handle;
  return success;
}

} // namespace

#define API extern "C" __attribute__((visibility("default"))) Result

API cuInit(unsigned) { return success; }
API cuDriverGetVersion(int *version) {
  const char *given = std::getenv("INSTANT_DRIVER_VERSION");
  *version = given ? std::atoi(given) : 13000;
  return success;
}
API cuGetErrorName(Result, const char **name) {
  *name = "CUDA_ERROR_UNKNOWN";
  return success;
}
API cuGetErrorString(Result, const char **text) {
  *text = "unknown error";
  return success;
}
API cuDeviceGetCount(int *count) {
  *count = 1;
  return success;
}
API cuDeviceGet(DeviceNumber *device, int) {
  *device = 0;
  return success;
}
API cuDeviceGetAttribute(int *value, int attribute, DeviceNumber) {
  *value = attribute == 75 ? 9 : 0;
  return success;
}
API cuDevicePrimaryCtxRetain(Context *context, DeviceNumber) { return give(context); }
API cuCtxSetCurrent(Context) { return success; }
API cuMemAlloc_v2(Address *address, size_t bytes) {
  *address = nextAddress.fetch_add((bytes + 511) / 512 * 512);
  return success;
}
API cuMemFree_v2(Address) { return success; }
API cuMemHostAlloc(void **memory, size_t bytes, unsigned) {
  *memory = std::calloc(1, bytes);
  return success;
}
API cuMemFreeHost(void *memory) {
  std::free(memory);
  return success;
}
API cuPointerGetAttribute(void *value, int attribute, Address) {
  *static_cast<int *>(value) = attribute == 2 ? 2 : 0;
  return success;
}
API cuMemcpyHtoDAsync_v2(Address, const void *, size_t, Stream) { return success; }
API cuMemcpyDtoHAsync_v2(void *to, Address, size_t bytes, Stream) {
  std::memset(to, 0xff, bytes); // an error slot without an error
  return success;
}
API cuMemcpyDtoDAsync_v2(Address, Address, size_t, Stream) { return success; }
API cuMemcpy2DAsync_v2(const RowsCopy *, Stream) { return success; }
API cuMemsetD8Async(Address, unsigned char, size_t, Stream) { return success; }
API cuMemsetD16Async(Address, unsigned short, size_t, Stream) { return success; }
API cuMemsetD32Async(Address, unsigned, size_t, Stream) { return success; }
API cuMemsetD2D32Async(Address, size_t, unsigned, size_t, size_t, Stream) { return success; }
API cuStreamCreate(Stream *stream, unsigned) { return give(stream); }
API cuStreamSynchronize(Stream) { return success; }
API cuStreamQuery(Stream) { return success; }
API cuStreamWaitEvent(Stream, Event, unsigned) { return success; }
API cuEventCreate(Event *event, unsigned) { return give(event); }
API cuEventDestroy_v2(Event) { return success; }
API cuEventRecord(Event, Stream) { return success; }
API cuEventQuery(Event) { return success; }
API cuEventSynchronize(Event) { return success; }
API cuEventElapsedTime(float *time, Event, Event) {
  *time = 0;
  return success;
}
API cuModuleLoadDataEx(CodeModule *module, const void *, unsigned, int *, void **) { return give(module); }
API cuModuleUnload(CodeModule) { return success; }
API cuModuleGetFunction(Function *function, CodeModule, const char *) { return give(function); }
API cuLaunchKernel(Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, void **,
                   void **) {
  return success;
}
/// NVRTC asks for private tables where it finds a driver.
API cuGetExportTable(const void **, const void *) { return 500 /* NOT_FOUND */; }
