// Allocation: device, stream-ordered, pinned; and what pointers are.
#include "driver/Api.h"
#include "driver/Queue.h"

#include "device/Counters.h"
#include "device/Settings.h"

#include <cstdlib>
#include <cstring>

using namespace cudasim;

namespace {

DeviceMemory &memory() { return DeviceMemory::instance(); }

uint64_t allocate(size_t bytes) {
  uint64_t at = memory().allocate(bytes);
  if (at) {
    ++counters().allocations;
    counters().allocatedBytes += bytes;
  }
  return at;
}

CUresult allocateHost(void **out, size_t bytes, unsigned flags) {
  return inContext([&](Context &) {
    if (!out || !bytes || (flags & ~7u)) return CUDA_ERROR_INVALID_VALUE;
    void *p = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (!p) return CUDA_ERROR_OUT_OF_MEMORY;
    memory().addHost(static_cast<std::byte *>(p), bytes, true, flags);
    ++counters().hostAllocations;
    *out = p;
    return CUDA_SUCCESS;
  });
}

Pool *poolOf(CUmemoryPool handle) {
  auto *pool = reinterpret_cast<Pool *>(handle);
  return pool == &driver().defaultPool || driver().knows(pool) ? pool : nullptr;
}

CUresult allocateAsync(CUdeviceptr *out, size_t bytes, Pool *pool, CUstream handle) {
  return inContext([&](Context &context) -> CUresult {
    if (!out || !bytes || !pool) return CUDA_ERROR_INVALID_VALUE;
    Stream *stream = streamOf(context, handle);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    if (stream->capturing) return CUDA_ERROR_NOT_SUPPORTED;
    uint64_t at = allocate(bytes);
    if (!at) { // what waits to be freed may make room
      finish(context);
      at = allocate(bytes);
    }
    if (!at) return CUDA_ERROR_OUT_OF_MEMORY;
    std::memset(memory().state(at), NoAccess, bytes); // until its turn comes in the stream
    driver().asyncAllocations[at] = pool;
    pool->used += bytes;
    pool->usedHigh = std::max(pool->usedHigh, pool->used);
    pool->reserved = std::max(pool->reserved, pool->used);
    context.allocations.insert(at);
    *out = at;
    return submit(*stream, AllocateWork{at, bytes}, CU_GRAPH_NODE_TYPE_MEM_ALLOC);
  });
}

} // namespace

CUDASIM_API cuMemGetInfo_v2(size_t *free, size_t *total) {
  return inContext([&](Context &) {
    if (free) *free = settings().memoryBytes - memory().used();
    if (total) *total = settings().memoryBytes;
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuMemAlloc_v2(CUdeviceptr *out, size_t bytes) {
  return inContext([&](Context &context) {
    if (!out || !bytes) return CUDA_ERROR_INVALID_VALUE;
    uint64_t at = allocate(bytes);
    if (!at) return CUDA_ERROR_OUT_OF_MEMORY;
    context.allocations.insert(at);
    *out = at;
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuMemAllocPitch_v2(CUdeviceptr *out, size_t *pitch, size_t width, size_t height, unsigned elementSize) {
  if (!pitch || !width || !height || (elementSize != 4 && elementSize != 8 && elementSize != 16))
    return CUDA_ERROR_INVALID_VALUE;
  *pitch = (width + 511) / 512 * 512;
  return cuMemAlloc_v2(out, *pitch * height);
}

CUDASIM_API cuMemFree_v2(CUdeviceptr address) {
  return inContext([&](Context &context) -> CUresult {
    if (!address) return CUDA_SUCCESS;
    if (!context.allocations.count(address) || driver().pendingFrees.count(address)) return CUDA_ERROR_INVALID_VALUE;
    if (CUresult error = finish(context)) return error;
    context.allocations.erase(address);
    driver().asyncAllocations.erase(address);
    ++counters().frees;
    return memory().free(address) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

CUDASIM_API cuMemAllocAsync(CUdeviceptr *out, size_t bytes, CUstream stream) {
  return allocateAsync(out, bytes, driver().currentPool, stream);
}

CUDASIM_API cuMemAllocFromPoolAsync(CUdeviceptr *out, size_t bytes, CUmemoryPool pool, CUstream stream) {
  return allocateAsync(out, bytes, poolOf(pool), stream);
}

CUDASIM_API cuMemFreeAsync(CUdeviceptr address, CUstream handle) {
  return inContext([&](Context &context) -> CUresult {
    Stream *stream = streamOf(context, handle);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    if (!address || !context.allocations.count(address) || driver().pendingFrees.count(address))
      return CUDA_ERROR_INVALID_VALUE;
    if (stream->capturing) return CUDA_ERROR_NOT_SUPPORTED;
    if (auto found = driver().asyncAllocations.find(address); found != driver().asyncAllocations.end()) {
      const auto *allocation = memory().nearest(address);
      if (allocation) found->second->used -= std::min(found->second->used, allocation->size);
      driver().asyncAllocations.erase(found);
    }
    context.allocations.erase(address);
    driver().pendingFrees.insert(address);
    ++counters().frees;
    return submit(*stream, FreeWork{address}, CU_GRAPH_NODE_TYPE_MEM_FREE);
  });
}

CUDASIM_API cuMemAllocManaged(CUdeviceptr *, size_t, unsigned) {
  return inContext([](Context &) { return CUDA_ERROR_NOT_SUPPORTED; });
}

CUDASIM_API cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *size, CUdeviceptr address) {
  return inContext([&](Context &) {
    const auto *allocation = memory().find(address);
    if (!allocation) return CUDA_ERROR_NOT_FOUND;
    if (base) *base = allocation->base;
    if (size) *size = allocation->size;
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuMemAllocHost_v2(void **out, size_t bytes) { return allocateHost(out, bytes, 0); }
CUDASIM_API cuMemHostAlloc(void **out, size_t bytes, unsigned flags) { return allocateHost(out, bytes, flags); }

CUDASIM_API cuMemFreeHost(void *p) {
  return inContext([&](Context &context) -> CUresult {
    const auto *range = memory().host(p);
    if (!range || range->base != p || !range->owned) return CUDA_ERROR_INVALID_VALUE;
    if (CUresult error = finish(context)) return error;
    memory().removeHost(static_cast<std::byte *>(p));
    std::free(p);
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuMemHostRegister_v2(void *p, size_t bytes, unsigned flags) {
  return inContext([&](Context &) {
    if (!p || !bytes) return CUDA_ERROR_INVALID_VALUE;
    if (memory().host(p)) return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    memory().addHost(static_cast<std::byte *>(p), bytes, false, flags);
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuMemHostUnregister(void *p) {
  return inContext([&](Context &context) -> CUresult {
    const auto *range = memory().host(p);
    if (!range || range->base != p || range->owned) return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    if (CUresult error = finish(context)) return error;
    memory().removeHost(static_cast<std::byte *>(p));
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuMemHostGetDevicePointer_v2(CUdeviceptr *out, void *p, unsigned flags) {
  return inContext([&](Context &) {
    if (!out || flags || !memory().host(p)) return CUDA_ERROR_INVALID_VALUE;
    *out = reinterpret_cast<CUdeviceptr>(p);
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuMemHostGetFlags(unsigned *flags, void *p) {
  return inContext([&](Context &) {
    const auto *range = memory().host(p);
    if (!flags || !range) return CUDA_ERROR_INVALID_VALUE;
    *flags = range->flags;
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuPointerGetAttribute(void *out, CUpointer_attribute which, CUdeviceptr address) {
  return inContext([&](Context &context) {
    if (!out) return CUDA_ERROR_INVALID_VALUE;
    const auto *allocation = memory().find(address);
    const auto *host = memory().host(reinterpret_cast<void *>(address));
    if (!allocation && !host) return CUDA_ERROR_INVALID_VALUE;
    switch (which) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: *static_cast<CUcontext *>(out) = reinterpret_cast<CUcontext>(&context); break;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *static_cast<unsigned *>(out) = allocation ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
      break;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: *static_cast<CUdeviceptr *>(out) = address; break;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      if (!host) return CUDA_ERROR_INVALID_VALUE;
      *static_cast<void **>(out) = reinterpret_cast<void *>(address);
      break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: *static_cast<unsigned *>(out) = 0; break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *static_cast<int *>(out) = 0; break;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      *static_cast<CUdeviceptr *>(out) = allocation ? allocation->base : reinterpret_cast<CUdeviceptr>(host->base);
      break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      *static_cast<size_t *>(out) = allocation ? allocation->size : host->size;
      break;
    default: return CUDA_ERROR_NOT_SUPPORTED;
    }
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuDeviceGetDefaultMemPool(CUmemoryPool *out, CUdevice device) {
  return initialized([&] {
    if (!out) return CUDA_ERROR_INVALID_VALUE;
    if (device) return CUDA_ERROR_INVALID_DEVICE;
    *out = reinterpret_cast<CUmemoryPool>(&driver().defaultPool);
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuDeviceGetMemPool(CUmemoryPool *out, CUdevice device) {
  return initialized([&] {
    if (!out) return CUDA_ERROR_INVALID_VALUE;
    if (device) return CUDA_ERROR_INVALID_DEVICE;
    *out = reinterpret_cast<CUmemoryPool>(driver().currentPool);
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuDeviceSetMemPool(CUdevice device, CUmemoryPool handle) {
  return initialized([&] {
    if (device) return CUDA_ERROR_INVALID_DEVICE;
    Pool *pool = poolOf(handle);
    if (!pool) return CUDA_ERROR_INVALID_VALUE;
    driver().currentPool = pool;
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuMemPoolCreate(CUmemoryPool *out, const CUmemPoolProps *properties) {
  return initialized([&] {
    if (!out || !properties) return CUDA_ERROR_INVALID_VALUE;
    auto *pool = new Pool;
    driver().handles.insert(pool);
    *out = reinterpret_cast<CUmemoryPool>(pool);
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuMemPoolDestroy(CUmemoryPool handle) {
  return initialized([&] {
    Pool *pool = poolOf(handle);
    if (!pool || pool == &driver().defaultPool) return CUDA_ERROR_INVALID_VALUE;
    if (driver().currentPool == pool) driver().currentPool = &driver().defaultPool;
    for (auto &[address, owner] : driver().asyncAllocations)
      if (owner == pool) owner = &driver().defaultPool;
    driver().handles.erase(pool);
    delete pool;
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuMemPoolTrimTo(CUmemoryPool handle, size_t keep) {
  return initialized([&] {
    Pool *pool = poolOf(handle);
    if (!pool) return CUDA_ERROR_INVALID_VALUE;
    pool->reserved = std::max<uint64_t>(pool->used, std::min<uint64_t>(pool->reserved, keep));
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuMemPoolSetAttribute(CUmemoryPool handle, CUmemPool_attribute which, void *value) {
  return initialized([&] {
    Pool *pool = poolOf(handle);
    if (!pool || !value) return CUDA_ERROR_INVALID_VALUE;
    switch (which) {
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: pool->threshold = *static_cast<cuuint64_t *>(value); break;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH: pool->usedHigh = pool->used; break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH: break;
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES: pool->flags[which] = *static_cast<int *>(value); break;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuMemPoolGetAttribute(CUmemoryPool handle, CUmemPool_attribute which, void *value) {
  return initialized([&] {
    Pool *pool = poolOf(handle);
    if (!pool || !value) return CUDA_ERROR_INVALID_VALUE;
    auto *wide = static_cast<cuuint64_t *>(value);
    switch (which) {
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: *wide = pool->threshold; break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH: *wide = pool->reserved; break;
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT: *wide = pool->used; break;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH: *wide = pool->usedHigh; break;
    default: {
      auto found = pool->flags.find(which);
      *static_cast<int *>(value) = found == pool->flags.end() ? 1 : found->second;
    }
    }
    return CUDA_SUCCESS;
  });
}
