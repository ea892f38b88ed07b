#pragma once
/// CUDA devices. The driver (libcuda.so.1) is opened at the first use of one; a program that uses none never opens it.
///
/// Ops on CUDA tensors are put into the calling thread's current stream and return before they have run. What reads
/// values on the host (item, printing, `cpu()`) waits for them. A tensor may be used on any stream: streams wait for
/// each other where one reads what another writes, and memory is not used again before all that use it are done.
#include "tensorjit/device.h"
#include "tensorjit/tensor.h"

#include <memory>

namespace tensorjit {

namespace device {
struct Stream;
struct EventState;
} // namespace device

namespace cuda {

/// Whether there is a driver that works and at least one device. Throws nothing; `why` receives the reason.
bool is_available(std::string *why = nullptr);
/// 0 where CUDA is not available.
int device_count();
/// Waits for all work of a device. Throws `device_error` where it has failed, `index_error` where an op met a bad
/// index.
void synchronize(int device = 0, SourceLocation loc = SourceLocation::current());

/// Bytes of a device's memory, as this process uses it.
struct MemoryStats {
  size_t live = 0;   ///< in tensors
  size_t peak = 0;   ///< the most that `live` has been
  size_t cached = 0; ///< kept for later
};
MemoryStats memory_stats(int device = 0);
/// Gives cached memory back to the driver.
void empty_cache(int device = 0);

class Event;

/// A queue of work. A handle: copies name the same stream.
class Stream {
public:
  explicit Stream(device::Stream *stream) : stream_(stream) {}
  Device device() const;
  /// Waits for all work so far; throws as `cuda::synchronize` does.
  void synchronize(SourceLocation loc = SourceLocation::current()) const;
  /// Whether all work so far is done.
  bool query() const;
  /// Later work waits for the event.
  void wait(const Event &event) const;
  /// The driver's CUstream.
  void *native() const;
  device::Stream *get() const { return stream_; }
  friend bool operator==(Stream, Stream) = default;

private:
  device::Stream *stream_;
};

/// The stream that ops of this thread go to, at first the device's default stream.
Stream current_stream(int device = 0);
Stream default_stream(int device = 0);
/// A stream of a pool of 32, handed out in turn.
Stream new_stream(int device = 0);
void set_current_stream(Stream stream);

/// Makes a stream the thread's current one for its scope.
class StreamGuard {
public:
  explicit StreamGuard(Stream stream) : before_(current_stream(stream.device().index())) { set_current_stream(stream); }
  ~StreamGuard() { set_current_stream(before_); }
  StreamGuard(const StreamGuard &) = delete;

private:
  Stream before_;
};

/// A point in a stream's work.
class Event {
public:
  explicit Event(bool enable_timing = false) : timing_(enable_timing) {}
  void record(Stream stream = current_stream());
  void synchronize() const;
  /// Whether the work before it is done; true for an event that was never recorded.
  bool query() const;
  /// Milliseconds from this event to a later one. Throws `value_error` unless both were recorded with timing.
  double elapsed_time(const Event &later) const;

private:
  friend class Stream;
  bool timing_;
  std::shared_ptr<device::EventState> state_;
};

/// Whether the memory of a CPU tensor is page-locked, so that copies from it need not wait.
bool is_pinned(const Tensor &t);
/// A copy of a CPU tensor in page-locked memory.
Tensor pin_memory(const Tensor &t, SourceLocation loc = SourceLocation::current());

} // namespace cuda
} // namespace tensorjit
