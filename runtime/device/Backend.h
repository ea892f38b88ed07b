#pragma once
/// What a kind of device does for the runtime: memory, streams, events, code; nothing else. Everything above is written
/// once for all kinds (Memory, Stream, DeviceProgram). `null/` is the template of a new one.
#include "execute/Executable.h"
#include "tensorjit/device.h"
#include "tensorjit/error.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tensorjit::device {

/// A device's own names of a stream, an event and a kernel.
using StreamHandle = void *;
using EventHandle = void *;
using KernelHandle = void *;

/// Loaded code; unloaded with this object.
class Module {
public:
  virtual ~Module() = default;
  /// Null where there is no such kernel.
  virtual KernelHandle kernel(const std::string &name) = 0;
};

/// One device. Every function may be called from any thread and, unless it says otherwise, throws `device_error` with
/// the driver's words.
class Backend {
public:
  virtual ~Backend() = default;
  virtual Device device() const = 0;

  /// Null where no memory is left.
  virtual void *allocate(size_t bytes) = 0;
  virtual void free(void *memory) noexcept = 0;
  /// Whether the address is one of the device's own memory, whoever allocated it.
  virtual bool owns(const void *memory) = 0;
  /// Host memory that copies need not wait for. Null where no memory is left.
  virtual void *allocatePinned(size_t bytes) = 0;
  virtual void freePinned(void *memory) noexcept = 0;

  // In a stream's order. Memory of the host that is not pinned has been read or written when a copy returns.
  virtual void copyToDevice(void *to, const void *from, size_t bytes, StreamHandle stream) = 0;
  virtual void copyToHost(void *to, const void *from, size_t bytes, StreamHandle stream) = 0;
  virtual void copyOnDevice(void *to, const void *from, size_t bytes, StreamHandle stream) = 0;
  /// Rows of `bytes` bytes that lie densely, each to `pitch` bytes behind the one before.
  virtual void copyRowsOnDevice(void *to, size_t pitch, const void *from, size_t bytes, size_t rows,
                                StreamHandle stream) = 0;
  /// `count` elements of 1, 2, 4 or 8 bytes, each as at `element`.
  virtual void fill(void *to, const void *element, size_t bytes, size_t count, StreamHandle stream) = 0;
  virtual void launch(KernelHandle kernel, const Step &step, void **parameters, StreamHandle stream) = 0;

  virtual StreamHandle createStream() = 0;
  virtual void synchronize(StreamHandle stream) = 0;
  virtual bool isDone(StreamHandle stream) = 0;

  virtual EventHandle createEvent(bool timing) = 0;
  virtual void destroyEvent(EventHandle event) noexcept = 0;
  virtual void record(EventHandle event, StreamHandle stream) = 0;
  virtual void wait(StreamHandle stream, EventHandle event) = 0;
  virtual bool isReached(EventHandle event) = 0;
  virtual void awaitEvent(EventHandle event) = 0;
  virtual double milliseconds(EventHandle from, EventHandle to) = 0;

  virtual std::unique_ptr<Module> load(std::span<const std::byte> code, const std::string &name) = 0;
  /// Compute capability times ten, for CUDA; 0 where there is no code generator: ops then run on the host.
  virtual int architecture() const = 0;
};

/// The device, opened at the first call; it stays open. Throws `device_error` where there is none of this name, naming
/// the reason.
Backend &backend(Device device);

/// Devices of a kind that can be opened; `why` receives the reason where there are none.
int count(DeviceType type, std::string *why = nullptr);

} // namespace tensorjit::device
