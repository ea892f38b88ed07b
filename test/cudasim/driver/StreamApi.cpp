// Streams and events.
#include "driver/Api.h"
#include "driver/Queue.h"

#include <algorithm>

using namespace cudasim;

namespace {

CUresult createStream(Context &context, CUstream *out, unsigned flags, int priority) {
  if (!out || (flags & ~unsigned(CU_STREAM_NON_BLOCKING))) return CUDA_ERROR_INVALID_VALUE;
  auto stream = std::make_unique<Stream>();
  stream->context = &context;
  stream->flags = flags;
  stream->priority = std::max(-5, std::min(0, priority));
  stream->id = ++driver().nextId;
  driver().handles.insert(stream.get());
  *out = reinterpret_cast<CUstream>(stream.get());
  context.streams.insert(std::move(stream));
  return CUDA_SUCCESS;
}

/// With the stream that a handle names.
template <class F> CUresult onStream(CUstream handle, F f) {
  return inContext([&](Context &context) -> CUresult {
    Stream *stream = streamOf(context, handle);
    return stream ? f(context, *stream) : CUDA_ERROR_INVALID_HANDLE;
  });
}
template <class F> CUresult onEvent(CUevent handle, F f) {
  return inContext([&](Context &) -> CUresult {
    auto *event = object<Event>(handle);
    return event ? f(*event) : CUDA_ERROR_INVALID_HANDLE;
  });
}

} // namespace

CUDASIM_API cuStreamCreate(CUstream *out, unsigned flags) {
  return inContext([&](Context &context) { return createStream(context, out, flags, 0); });
}

CUDASIM_API cuStreamCreateWithPriority(CUstream *out, unsigned flags, int priority) {
  return inContext([&](Context &context) { return createStream(context, out, flags, priority); });
}

CUDASIM_API cuStreamDestroy_v2(CUstream handle) {
  return inContext([&](Context &context) -> CUresult {
    auto *stream = object<Stream>(handle);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    finish(*stream); // a device would do the work in its own time
    driver().handles.erase(stream);
    std::erase_if(context.streams, [&](auto &s) { return s.get() == stream; });
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuStreamSynchronize(CUstream handle) {
  return onStream(handle,
                  [](Context &, Stream &s) { return s.capturing ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : finish(s); });
}

CUDASIM_API cuStreamQuery(CUstream handle) {
  return onStream(handle, [](Context &context, Stream &s) -> CUresult {
    if (s.capturing) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    progress(context);
    if (context.error) return context.error;
    return s.queue.empty() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
  });
}

CUDASIM_API cuStreamGetFlags(CUstream handle, unsigned *flags) {
  return onStream(handle, [&](Context &, Stream &s) {
    if (!flags) return CUDA_ERROR_INVALID_VALUE;
    *flags = s.flags;
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuStreamGetPriority(CUstream handle, int *priority) {
  return onStream(handle, [&](Context &, Stream &s) {
    if (!priority) return CUDA_ERROR_INVALID_VALUE;
    *priority = s.priority;
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuStreamGetId(CUstream handle, unsigned long long *id) {
  return onStream(handle, [&](Context &, Stream &s) {
    if (!id) return CUDA_ERROR_INVALID_VALUE;
    *id = s.id;
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuStreamGetCtx(CUstream handle, CUcontext *out) {
  return onStream(handle, [&](Context &context, Stream &) {
    if (!out) return CUDA_ERROR_INVALID_VALUE;
    *out = reinterpret_cast<CUcontext>(&context);
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuStreamWaitEvent(CUstream handle, CUevent eventHandle, unsigned flags) {
  return onStream(handle, [&](Context &context, Stream &s) -> CUresult {
    auto *event = object<Event>(eventHandle);
    if (!event) return CUDA_ERROR_INVALID_HANDLE;
    if (flags & ~unsigned(CU_EVENT_WAIT_EXTERNAL)) return CUDA_ERROR_INVALID_VALUE;
    if (event->captureGraph) { // joins the capture in which the event was recorded
      if (s.capturing && s.capturing != event->captureGraph) return CUDA_ERROR_STREAM_CAPTURE_MERGE;
      if (!s.capturing && &s == &context.defaultStream) return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
      if (!s.capturing) {
        s.capturing = event->captureGraph;
        s.captureId = event->captureId;
        s.captured.clear();
      }
      for (GraphNode *node : event->captureNodes)
        if (std::find(s.captured.begin(), s.captured.end(), node) == s.captured.end()) s.captured.push_back(node);
      return CUDA_SUCCESS;
    }
    if (s.capturing) return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
    if (!event->recorded) return CUDA_SUCCESS;
    return submit(s, EventWork{event, event->recorded, true}, CU_GRAPH_NODE_TYPE_WAIT_EVENT);
  });
}

CUDASIM_API cuEventCreate(CUevent *out, unsigned flags) {
  return inContext([&](Context &context) {
    if (!out || (flags & ~7u)) return CUDA_ERROR_INVALID_VALUE;
    auto event = std::make_unique<Event>();
    event->context = &context;
    event->flags = flags;
    driver().handles.insert(event.get());
    *out = reinterpret_cast<CUevent>(event.get());
    context.events.insert(std::move(event));
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuEventDestroy_v2(CUevent handle) {
  return inContext([&](Context &context) -> CUresult {
    auto *event = object<Event>(handle);
    if (!event) return CUDA_ERROR_INVALID_HANDLE;
    if (event->completed < event->recorded) finish(*event);
    finish(context); // waits for it may stand in other streams
    driver().handles.erase(event);
    std::erase_if(context.events, [&](auto &e) { return e.get() == event; });
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuEventRecordWithFlags(CUevent handle, CUstream streamHandle, unsigned) {
  return onStream(streamHandle, [&](Context &context, Stream &s) -> CUresult {
    auto *event = object<Event>(handle);
    if (!event || event->context != &context) return CUDA_ERROR_INVALID_HANDLE;
    if (s.capturing) {
      event->captureGraph = s.capturing;
      event->captureNodes = s.captured;
      event->captureId = s.captureId;
      return CUDA_SUCCESS;
    }
    event->captureGraph = nullptr;
    event->recorded = ++driver().nextTicket;
    return submit(s, EventWork{event, event->recorded, false}, CU_GRAPH_NODE_TYPE_EVENT_RECORD);
  });
}

CUDASIM_API cuEventRecord(CUevent event, CUstream stream) { return cuEventRecordWithFlags(event, stream, 0); }

CUDASIM_API cuEventQuery(CUevent handle) {
  return onEvent(handle, [](Event &e) -> CUresult {
    if (e.captureGraph) return CUDA_ERROR_CAPTURED_EVENT;
    progress(*e.context);
    if (e.context->error) return e.context->error;
    return e.completed >= e.recorded ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
  });
}

CUDASIM_API cuEventSynchronize(CUevent handle) {
  return onEvent(handle, [](Event &e) { return e.captureGraph ? CUDA_ERROR_CAPTURED_EVENT : finish(e); });
}

static CUresult elapsed(float *milliseconds, CUevent from, CUevent to) {
  return onEvent(from, [&](Event &begin) {
    auto *end = object<Event>(to);
    if (!end) return CUDA_ERROR_INVALID_HANDLE;
    if (!milliseconds) return CUDA_ERROR_INVALID_VALUE;
    if ((begin.flags | end->flags) & CU_EVENT_DISABLE_TIMING) return CUDA_ERROR_INVALID_HANDLE;
    if (!begin.recorded || !end->recorded) return CUDA_ERROR_INVALID_HANDLE;
    if (begin.completed < begin.recorded || end->completed < end->recorded) return CUDA_ERROR_NOT_READY;
    *milliseconds = std::chrono::duration<float, std::milli>(end->time - begin.time).count();
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuEventElapsedTime_v2(float *milliseconds, CUevent from, CUevent to) {
  return elapsed(milliseconds, from, to);
}
#undef cuEventElapsedTime
CUDASIM_API cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to) {
  return elapsed(milliseconds, from, to);
}
