// Copies and fills, synchronous and not.
#include "driver/Copy.h"
#include "driver/Api.h"
#include "driver/Queue.h"

#include <cstring>

using namespace cudasim;

namespace {

DeviceMemory &memory() { return DeviceMemory::instance(); }
bool isPinned(uint64_t address, size_t size) {
  return memory().host(reinterpret_cast<void *>(address), size) != nullptr;
}

size_t extentOf(const CopyWork &w, const CopyWork::Side &s) {
  if (!w.width || !w.height || !w.depth) return 0;
  return (w.depth - 1) * s.slicePitch + (w.height - 1) * s.pitch + w.width;
}

CUresult checkSide(const CopyWork &w, const CopyWork::Side &s) {
  size_t extent = extentOf(w, s);
  if (!extent) return CUDA_SUCCESS;
  if ((w.height > 1 && s.pitch < w.width) || !s.address) return CUDA_ERROR_INVALID_VALUE;
  if (s.onDevice) return memory().find(s.address, extent) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  return memory().contains(s.address) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

/// Pageable memory is read before the call returns, and written before it returns; pinned memory when the work runs.
CUresult copy(CUstream handle, CopyWork work, bool synchronous) {
  return inContext([&](Context &context) -> CUresult {
    Stream *stream = streamOf(context, handle);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    if (CUresult error = checkCopy(work)) return error;
    if (!extentOf(work, work.from)) return CUDA_SUCCESS;
    if (stream->capturing)
      return synchronous ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
                         : submit(*stream, std::move(work), CU_GRAPH_NODE_TYPE_MEMCPY);
    bool pageableSource = !work.from.onDevice && !isPinned(work.from.address, extentOf(work, work.from));
    bool pageableTarget = !work.to.onDevice && !isPinned(work.to.address, extentOf(work, work.to));
    if (pageableSource && !synchronous && work.to.onDevice) {
      work.staged = std::make_shared<std::vector<std::byte>>(work.width * work.height * work.depth);
      for (size_t row = 0; row < work.height * work.depth; ++row)
        std::memcpy(work.staged->data() + row * work.width,
                    reinterpret_cast<std::byte *>(work.from.address + row / work.height * work.from.slicePitch +
                                                  row % work.height * work.from.pitch),
                    work.width);
    }
    if (CUresult error = submit(*stream, std::move(work), CU_GRAPH_NODE_TYPE_MEMCPY)) return error;
    return synchronous || pageableTarget ? finish(*stream) : CUDA_SUCCESS;
  });
}

CopyWork linear(bool fromDevice, uint64_t from, bool toDevice, uint64_t to, size_t bytes) {
  CopyWork w;
  w.from = {fromDevice, from, bytes, 0};
  w.to = {toDevice, to, bytes, 0};
  w.width = bytes;
  return w;
}
uint64_t number(const void *p) { return reinterpret_cast<uint64_t>(p); }

/// With unified addresses the pointers tell where they point.
CopyWork unified(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return linear(memory().contains(from), from, memory().contains(to), to, bytes);
}

bool side(CUmemorytype type, const void *host, CUdeviceptr device, size_t x, size_t y, size_t z, size_t pitch,
          size_t height, CopyWork::Side &out) {
  if (type == CU_MEMORYTYPE_ARRAY) return false;
  bool isHost = type == CU_MEMORYTYPE_HOST || (type == CU_MEMORYTYPE_UNIFIED && !memory().contains(device));
  uint64_t base = type == CU_MEMORYTYPE_HOST ? number(host) : device;
  out = {!isHost, base + (z * height + y) * pitch + x, pitch, pitch * height};
  return true;
}

bool from2D(const CUDA_MEMCPY2D *p, CopyWork &w) {
  if (!p) return false;
  w.width = p->WidthInBytes;
  w.height = p->Height;
  auto pitch = [&](size_t given) { return given ? given : p->WidthInBytes; };
  return side(p->srcMemoryType, p->srcHost, p->srcDevice, p->srcXInBytes, p->srcY, 0, pitch(p->srcPitch), 0, w.from) &&
         side(p->dstMemoryType, p->dstHost, p->dstDevice, p->dstXInBytes, p->dstY, 0, pitch(p->dstPitch), 0, w.to);
}

CUresult fill(CUstream handle, FillWork w, bool synchronous) {
  return inContext([&](Context &context) -> CUresult {
    Stream *stream = streamOf(context, handle);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    if (CUresult error = checkFill(w)) return error;
    if (!w.width || !w.height) return CUDA_SUCCESS;
    if (stream->capturing && synchronous) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    return submit(*stream, w, CU_GRAPH_NODE_TYPE_MEMSET); // the synchronous form need not wait for device memory either
  });
}

} // namespace

namespace cudasim {

CUresult checkCopy(const CopyWork &w) {
  if (CUresult error = checkSide(w, w.from)) return error;
  return checkSide(w, w.to);
}

bool copyFrom3D(const CUDA_MEMCPY3D *p, CopyWork &w) {
  if (!p) return false;
  w.width = p->WidthInBytes;
  w.height = p->Height;
  w.depth = p->Depth;
  auto pitch = [&](size_t given) { return given ? given : p->WidthInBytes; };
  auto height = [&](size_t given) { return given ? given : p->Height; };
  return side(p->srcMemoryType, p->srcHost, p->srcDevice, p->srcXInBytes, p->srcY, p->srcZ, pitch(p->srcPitch),
              height(p->srcHeight), w.from) &&
         side(p->dstMemoryType, p->dstHost, p->dstDevice, p->dstXInBytes, p->dstY, p->dstZ, pitch(p->dstPitch),
              height(p->dstHeight), w.to);
}

CUresult checkFill(const FillWork &w) {
  if (!w.width || !w.height) return CUDA_SUCCESS;
  if (w.address % w.elementSize || (w.height > 1 && w.pitch < w.width * w.elementSize)) return CUDA_ERROR_INVALID_VALUE;
  size_t extent = (w.height - 1) * w.pitch + w.width * w.elementSize;
  return memory().find(w.address, extent) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

} // namespace cudasim

CUDASIM_API cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t n) { return copy(nullptr, unified(to, from, n), true); }
CUDASIM_API cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s) {
  return copy(s, unified(to, from, n), false);
}
CUDASIM_API cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t n) {
  return copy(nullptr, linear(false, number(from), true, to, n), true);
}
CUDASIM_API cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t n, CUstream s) {
  return copy(s, linear(false, number(from), true, to, n), false);
}
CUDASIM_API cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t n) {
  return copy(nullptr, linear(true, from, false, number(to), n), true);
}
CUDASIM_API cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t n, CUstream s) {
  return copy(s, linear(true, from, false, number(to), n), false);
}
CUDASIM_API cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t n) {
  return copy(nullptr, linear(true, from, true, to, n), false);
}
CUDASIM_API cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s) {
  return copy(s, linear(true, from, true, to, n), false);
}

static CUresult copy2D(CUstream s, const CUDA_MEMCPY2D *p, bool synchronous) {
  CopyWork w;
  return from2D(p, w) ? copy(s, w, synchronous) : CUDA_ERROR_INVALID_VALUE;
}
static CUresult copy3D(CUstream s, const CUDA_MEMCPY3D *p, bool synchronous) {
  CopyWork w;
  return copyFrom3D(p, w) ? copy(s, w, synchronous) : CUDA_ERROR_INVALID_VALUE;
}
CUDASIM_API cuMemcpy2D_v2(const CUDA_MEMCPY2D *p) { return copy2D(nullptr, p, true); }
CUDASIM_API cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *p) { return copy2D(nullptr, p, true); }
CUDASIM_API cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *p, CUstream s) { return copy2D(s, p, false); }
CUDASIM_API cuMemcpy3D_v2(const CUDA_MEMCPY3D *p) { return copy3D(nullptr, p, true); }
CUDASIM_API cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *p, CUstream s) { return copy3D(s, p, false); }

CUDASIM_API cuMemsetD8_v2(CUdeviceptr to, unsigned char v, size_t n) {
  return fill(nullptr, {to, n, n, 1, v, 1}, true);
}
CUDASIM_API cuMemsetD16_v2(CUdeviceptr to, unsigned short v, size_t n) {
  return fill(nullptr, {to, n, n, 1, v, 2}, true);
}
CUDASIM_API cuMemsetD32_v2(CUdeviceptr to, unsigned v, size_t n) { return fill(nullptr, {to, n, n, 1, v, 4}, true); }
CUDASIM_API cuMemsetD8Async(CUdeviceptr to, unsigned char v, size_t n, CUstream s) {
  return fill(s, {to, n, n, 1, v, 1}, false);
}
CUDASIM_API cuMemsetD16Async(CUdeviceptr to, unsigned short v, size_t n, CUstream s) {
  return fill(s, {to, n, n, 1, v, 2}, false);
}
CUDASIM_API cuMemsetD32Async(CUdeviceptr to, unsigned v, size_t n, CUstream s) {
  return fill(s, {to, n, n, 1, v, 4}, false);
}
CUDASIM_API cuMemsetD2D8_v2(CUdeviceptr to, size_t pitch, unsigned char v, size_t w, size_t h) {
  return fill(nullptr, {to, pitch, w, h, v, 1}, true);
}
CUDASIM_API cuMemsetD2D16_v2(CUdeviceptr to, size_t pitch, unsigned short v, size_t w, size_t h) {
  return fill(nullptr, {to, pitch, w, h, v, 2}, true);
}
CUDASIM_API cuMemsetD2D32_v2(CUdeviceptr to, size_t pitch, unsigned v, size_t w, size_t h) {
  return fill(nullptr, {to, pitch, w, h, v, 4}, true);
}
CUDASIM_API cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char v, size_t w, size_t h, CUstream s) {
  return fill(s, {to, pitch, w, h, v, 1}, false);
}
CUDASIM_API cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short v, size_t w, size_t h, CUstream s) {
  return fill(s, {to, pitch, w, h, v, 2}, false);
}
CUDASIM_API cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned v, size_t w, size_t h, CUstream s) {
  return fill(s, {to, pitch, w, h, v, 4}, false);
}
