// The public functions for CUDA devices.
#include "tensorjit/cuda.h"
#include "core/Location.h"
#include "core/TensorAccess.h"
#include "device/Memory.h"
#include "device/Pinned.h"
#include "device/Transfer.h"
#include "trace/Recorder.h"

#include <cstring>

namespace tensorjit::cuda {

static device::Stream &streamOf(const Stream &s) { return *s.get(); }

bool is_available(std::string *why) { return device::count(kCUDA, why) > 0; }
int device_count() { return device::count(kCUDA); }

void synchronize(int index, SourceLocation loc) {
  atLine(loc, [&] { device::synchronizeAll(Device(kCUDA, index)); });
}

MemoryStats memory_stats(int index) {
  const device::MemoryUse use = device::memoryUse(Device(kCUDA, index));
  return {use.live, use.peak, use.cached};
}
void empty_cache(int index) { device::emptyCache(Device(kCUDA, index)); }

Device Stream::device() const { return stream_->backend.device(); }
void Stream::synchronize(SourceLocation loc) const {
  atLine(loc, [&] { stream_->synchronize(); });
}
bool Stream::query() const { return stream_->backend.isDone(stream_->handle); }
void Stream::wait(const Event &event) const {
  if (event.state_) stream_->backend.wait(stream_->handle, event.state_->handle);
}
void *Stream::native() const { return stream_->handle; }

Stream current_stream(int index) { return Stream(&device::currentStream(Device(kCUDA, index))); }
Stream default_stream(int index) { return Stream(&device::defaultStream(Device(kCUDA, index))); }
Stream new_stream(int index) { return Stream(&device::poolStream(Device(kCUDA, index))); }
void set_current_stream(Stream stream) { device::setCurrentStream(streamOf(stream)); }

void Event::record(Stream stream) {
  device::Stream &s = streamOf(stream);
  if (!state_ || &state_->backend != &s.backend) state_ = std::make_shared<device::EventState>(s.backend, timing_);
  s.backend.record(state_->handle, s.handle);
}
void Event::synchronize() const {
  if (state_) state_->backend.awaitEvent(state_->handle);
}
bool Event::query() const { return !state_ || state_->backend.isReached(state_->handle); }
double Event::elapsed_time(const Event &later) const {
  if (!state_ || !later.state_ || !timing_ || !later.timing_)
    throw value_error("elapsed_time: both events must have been made with timing and recorded");
  return state_->backend.milliseconds(state_->handle, later.state_->handle);
}

bool is_pinned(const Tensor &t) {
  checkDefined(t, "is_pinned");
  if (!t.is_cpu() || trace::isPending(t)) return false;
  return device::isPinned(t.impl()->storage->buffer->storedData());
}

Tensor pin_memory(const Tensor &t, SourceLocation loc) {
  return atLine(loc, [&] {
    checkDefined(t, "pin_memory");
    if (!t.is_cpu()) throw device_error("pin_memory: the tensor is on " + t.device().str());
    trace::materialise(t, "pin_memory", loc);
    const trace::SuspendRecording eager;
    const Tensor dense = t.detach().contiguous(loc);
    const size_t bytes = static_cast<size_t>(dense.numel()) * itemSize(dense.dtype());
    void *memory = device::allocatePinned(bytes);
    if (bytes) std::memcpy(memory, viewOf(dense).data, bytes);
    auto release = [memory, bytes] { device::freePinned(memory, bytes); };
    return makeTensor(dense.dtype(), dense.sizes(), Buffer::adopt(memory, bytes, release));
  });
}

} // namespace tensorjit::cuda
