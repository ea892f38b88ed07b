#include "driver/Api.h"
#include "driver/Queue.h"

using namespace cudasim;

namespace {

void setUp(Context &context, bool primary) {
  context.primary = primary;
  context.id = ++driver().nextId;
  context.limits = {
      {CU_LIMIT_STACK_SIZE, 1024}, {CU_LIMIT_PRINTF_FIFO_SIZE, 1 << 20}, {CU_LIMIT_MALLOC_HEAP_SIZE, 8 << 20}};
  for (Stream *s : {&context.defaultStream, &context.threadStream}) {
    s->context = &context;
    s->id = ++driver().nextId;
  }
  driver().handles.insert(&context);
}

/// Everything that the context owns goes with it, its error too.
void tearDown(Context &context) {
  if (!context.error) finish(context);
  for (auto &s : context.streams) driver().handles.erase(s.get());
  for (auto &e : context.events) driver().handles.erase(e.get());
  for (auto &m : context.modules) driver().handles.erase(m.get());
  context.defaultStream.queue.clear();
  context.threadStream.queue.clear();
  context.streams.clear();
  context.events.clear();
  context.modules.clear();
  for (uint64_t address : context.allocations) DeviceMemory::instance().free(address);
  driver().handles.erase(&context);
}

CUcontext handleOf(Context *context) { return reinterpret_cast<CUcontext>(context); }

CUresult create(CUcontext *out, unsigned flags, CUdevice device) {
  return initialized([&] {
    if (!out) return CUDA_ERROR_INVALID_VALUE;
    if (device) return CUDA_ERROR_INVALID_DEVICE;
    auto made = std::make_unique<Context>();
    made->flags = flags;
    setUp(*made, false);
    contextStack().push_back(made.get());
    *out = handleOf(made.get());
    driver().contexts.insert(std::move(made));
    return CUDA_SUCCESS;
  });
}

void destroyPrimary() {
  tearDown(*driver().primary);
  driver().primary.reset();
}

} // namespace

namespace cudasim {

Stream *streamOf(Context &context, CUstream handle) {
  if (!handle || handle == CU_STREAM_LEGACY) return &context.defaultStream;
  if (handle == CU_STREAM_PER_THREAD) return &context.threadStream;
  auto *stream = object<Stream>(handle);
  return stream && stream->context == &context ? stream : nullptr;
}

} // namespace cudasim

CUDASIM_API cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device) {
  return initialized([&] {
    if (!out) return CUDA_ERROR_INVALID_VALUE;
    if (device) return CUDA_ERROR_INVALID_DEVICE;
    auto &primary = driver().primary;
    if (!primary) {
      primary.emplace();
      primary->flags = driver().primaryFlags;
      setUp(*primary, true);
    }
    ++primary->references;
    *out = handleOf(&*primary);
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return initialized([&] {
    if (device) return CUDA_ERROR_INVALID_DEVICE;
    auto &primary = driver().primary;
    if (!primary || !primary->references) return CUDA_ERROR_INVALID_CONTEXT;
    if (--primary->references == 0) destroyPrimary();
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuDevicePrimaryCtxReset_v2(CUdevice device) {
  return initialized([&] {
    if (device) return CUDA_ERROR_INVALID_DEVICE;
    if (driver().primary) {
      unsigned references = driver().primary->references;
      destroyPrimary();
      driver().primary.emplace();
      setUp(*driver().primary, true);
      driver().primary->references = references;
    }
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
  return initialized([&] {
    if (device) return CUDA_ERROR_INVALID_DEVICE;
    driver().primaryFlags = flags;
    if (driver().primary) driver().primary->flags = flags;
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active) {
  return initialized([&] {
    if (device) return CUDA_ERROR_INVALID_DEVICE;
    if (!flags || !active) return CUDA_ERROR_INVALID_VALUE;
    *flags = driver().primaryFlags;
    *active = driver().primary.has_value();
    return CUDA_SUCCESS;
  });
}

#undef cuCtxCreate
CUDASIM_API cuCtxCreate_v2(CUcontext *out, unsigned flags, CUdevice device) { return create(out, flags, device); }
CUDASIM_API cuCtxCreate_v3(CUcontext *out, CUexecAffinityParam *, int, unsigned flags, CUdevice device) {
  return create(out, flags, device);
}
CUDASIM_API cuCtxCreate_v4(CUcontext *out, CUctxCreateParams *, unsigned flags, CUdevice device) {
  return create(out, flags, device);
}

CUDASIM_API cuCtxDestroy_v2(CUcontext handle) {
  return initialized([&] {
    auto *context = object<Context>(handle);
    if (!context || context->primary) return CUDA_ERROR_INVALID_CONTEXT;
    tearDown(*context);
    auto &stack = contextStack();
    if (!stack.empty() && stack.back() == context) stack.pop_back();
    std::erase_if(driver().contexts, [&](auto &c) { return c.get() == context; });
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuCtxPushCurrent_v2(CUcontext handle) {
  return initialized([&] {
    auto *context = object<Context>(handle);
    if (!context) return CUDA_ERROR_INVALID_CONTEXT;
    contextStack().push_back(context);
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuCtxPopCurrent_v2(CUcontext *out) {
  return initialized([&] {
    if (contextStack().empty()) return CUDA_ERROR_INVALID_CONTEXT;
    if (out) *out = handleOf(contextStack().back());
    contextStack().pop_back();
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuCtxSetCurrent(CUcontext handle) {
  return initialized([&] {
    auto &stack = contextStack();
    if (!handle) {
      if (!stack.empty()) stack.pop_back();
      return CUDA_SUCCESS;
    }
    auto *context = object<Context>(handle);
    if (!context) return CUDA_ERROR_INVALID_CONTEXT;
    if (stack.empty()) stack.push_back(context);
    else stack.back() = context;
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuCtxGetCurrent(CUcontext *out) {
  return initialized([&] {
    if (!out) return CUDA_ERROR_INVALID_VALUE;
    *out = handleOf(currentContext());
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuCtxGetDevice(CUdevice *device) {
  return initialized([&] {
    if (!device) return CUDA_ERROR_INVALID_VALUE;
    if (!currentContext()) return CUDA_ERROR_INVALID_CONTEXT;
    *device = 0;
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuCtxGetFlags(unsigned *flags) {
  return inContext([&](Context &context) {
    if (!flags) return CUDA_ERROR_INVALID_VALUE;
    *flags = context.flags;
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuCtxGetId(CUcontext handle, unsigned long long *id) {
  return initialized([&] {
    Context *context = handle ? object<Context>(handle) : currentContext();
    if (!context) return CUDA_ERROR_INVALID_CONTEXT;
    if (!id) return CUDA_ERROR_INVALID_VALUE;
    *id = context->id;
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuCtxGetApiVersion(CUcontext handle, unsigned *version) {
  return initialized([&] {
    if (!version) return CUDA_ERROR_INVALID_VALUE;
    if (handle && !object<Context>(handle)) return CUDA_ERROR_INVALID_CONTEXT;
    *version = CUDA_VERSION;
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuCtxSynchronize() {
  return inContext(
      [](Context &context) { return isCapturing(context) ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : finish(context); });
}

CUDASIM_API cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  return inContext([&](Context &) {
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuCtxSetLimit(CUlimit limit, size_t value) {
  return inContext([&](Context &context) {
    if (limit >= CU_LIMIT_MAX) return CUDA_ERROR_INVALID_VALUE;
    context.limits[limit] = value;
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuCtxGetLimit(size_t *value, CUlimit limit) {
  return inContext([&](Context &context) {
    if (!value || limit >= CU_LIMIT_MAX) return CUDA_ERROR_INVALID_VALUE;
    *value = context.limits[limit];
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuCtxSetCacheConfig(CUfunc_cache) {
  return inContext([](Context &) { return CUDA_SUCCESS; });
}
CUDASIM_API cuCtxGetCacheConfig(CUfunc_cache *config) {
  return inContext([&](Context &) {
    if (!config) return CUDA_ERROR_INVALID_VALUE;
    *config = CU_FUNC_CACHE_PREFER_NONE;
    return CUDA_SUCCESS;
  });
}
