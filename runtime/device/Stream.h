#pragma once
#include "device/Backend.h"
#include "execute/KernelAbi.h"

#include <memory>
#include <mutex>
#include <vector>

namespace tensorjit::device {

struct Stream;

/// The index checks of an executable's run that may still fail when the stream gets there.
struct RunChecks {
  virtual ~RunChecks() = default;
  /// Called when the stream has passed the run; throws `index_error` where a check failed, and is ready anew then.
  virtual void raise(Stream &stream) = 0;
};

/// A queue of work. Streams live as long as the process.
struct Stream {
  Stream(Backend &on, StreamHandle stream, uint32_t number) : backend(on), handle(stream), number(number) {}

  /// Work that is put into `this` from now on comes after all that is in `other` now.
  void waitFor(Stream &other);
  /// Waits for all work so far, then raises what index checks have found. Throws `device_error`.
  void synchronize();
  /// Synchronises where index checks have not been asked yet: what is overwritten behind them keeps its contents where
  /// one fails.
  void settleChecks();
  /// `checks` is asked at the next synchronisation.
  void addChecks(std::shared_ptr<RunChecks> checks);

  Backend &backend;
  const StreamHandle handle;
  const uint32_t number; ///< on its device; 0 is the default stream

private:
  std::mutex mutex_;
  EventHandle event_ = nullptr; ///< for waits of others
  std::vector<std::shared_ptr<RunChecks>> checks_;
};

/// The thread's stream on a device; opens the device.
Stream &currentStream(Device device);
void setCurrentStream(Stream &stream);
Stream &defaultStream(Device device);
/// One of a pool of 32, in turn.
Stream &poolStream(Device device);
/// The stream of copies that run beside others.
Stream &copyStream(Device device);
/// Waits for all streams of a device that have been used, and raises what their checks found.
void synchronizeAll(Device device);

/// A recorded event; the handle goes back to the device with this object.
struct EventState {
  EventState(Backend &on, bool timing) : backend(on), handle(on.createEvent(timing)), timing(timing) {}
  ~EventState() { backend.destroyEvent(handle); }
  EventState(const EventState &) = delete;
  Backend &backend;
  const EventHandle handle;
  const bool timing;
};

} // namespace tensorjit::device
