#pragma once
#include "driver/Objects.h"

#define CUDASIM_API extern "C" __attribute__((visibility("default"))) CUresult

namespace cudasim {

/// Takes the lock and runs `f`; `f` needs neither an initialised driver nor a context. No exception leaves the library.
template <class F> CUresult unchecked(F f) {
  std::lock_guard guard(driver().lock);
  try {
    return f();
  } catch (const std::bad_alloc &) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  } catch (...) {
    return CUDA_ERROR_UNKNOWN;
  }
}

/// The same after cuInit.
template <class F> CUresult initialized(F f) {
  return unchecked([&] {
    if (driver().hasShutDown) return CUDA_ERROR_DEINITIALIZED;
    return driver().initialized ? f() : CUDA_ERROR_NOT_INITIALIZED;
  });
}

/// The same with the current context, which must not have failed.
template <class F> CUresult inContext(F f) {
  return initialized([&]() -> CUresult {
    Context *context = currentContext();
    if (!context) return CUDA_ERROR_INVALID_CONTEXT;
    if (context->error) return context->error;
    return f(*context);
  });
}

template <class T, class Handle> T *object(Handle handle) {
  return driver().knows(handle) ? reinterpret_cast<T *>(handle) : nullptr;
}

/// Null and the two special values name the default streams. Null where there is no such stream.
Stream *streamOf(Context &context, CUstream handle);

} // namespace cudasim
