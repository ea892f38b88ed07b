#include "device/Stream.h"
#include "core/ThreadObject.h"

#include <array>
#include <atomic>
#include <unordered_map>
#include <utility>

namespace tensorjit::device {

namespace {

constexpr uint32_t poolSize = 32;
constexpr uint32_t copyNumber = poolSize + 1;

/// The streams of one device, made when they are first asked for and never destroyed.
struct Streams {
  std::mutex mutex;
  std::array<std::unique_ptr<Stream>, poolSize + 2> all;
  std::atomic<uint32_t> next{0};
};

Streams &streamsOf(Device device) {
  static auto &all = *new std::array<Streams, 256>;
  return all[device.code()];
}

Stream &streamNumber(Device device, uint32_t number) {
  Streams &s = streamsOf(device);
  std::lock_guard lock(s.mutex);
  if (!s.all[number]) {
    Backend &b = backend(device);
    s.all[number] = std::make_unique<Stream>(b, b.createStream(), number);
  }
  return *s.all[number];
}

/// The thread's streams: of the device that was used last, and of all.
constinit thread_local Stream *latest = nullptr;
struct ThreadStreams : std::unordered_map<uint8_t, Stream *> {};
ThreadStreams &streamsOfThread() { return ThreadObject<ThreadStreams, Stream>::get(); }

} // namespace

Stream &currentStream(Device device) {
  if (latest && latest->backend.device() == device) return *latest;
  Stream *&stream = streamsOfThread()[device.code()];
  if (!stream) stream = &defaultStream(device);
  latest = stream;
  return *stream;
}

void setCurrentStream(Stream &stream) { latest = streamsOfThread()[stream.backend.device().code()] = &stream; }

Stream &defaultStream(Device device) { return streamNumber(device, 0); }

Stream &poolStream(Device device) {
  return streamNumber(device, 1 + streamsOf(device).next.fetch_add(1, std::memory_order_relaxed) % poolSize);
}

Stream &copyStream(Device device) { return streamNumber(device, copyNumber); }

void synchronizeAll(Device device) {
  backend(device);
  Streams &s = streamsOf(device);
  for (auto &slot : s.all) {
    Stream *stream;
    {
      std::lock_guard lock(s.mutex);
      stream = slot.get();
    }
    if (stream) stream->synchronize();
  }
}

void Stream::waitFor(Stream &other) {
  if (this == &other) return;
  // The event may be recorded anew at once: a wait is for the record before it.
  std::lock_guard lock(other.mutex_);
  if (!other.event_) other.event_ = backend.createEvent(false);
  backend.record(other.event_, other.handle);
  backend.wait(handle, other.event_);
}

void Stream::addChecks(std::shared_ptr<RunChecks> checks) {
  std::lock_guard lock(mutex_);
  for (const auto &known : checks_)
    if (known == checks) return;
  checks_.push_back(std::move(checks));
}

void Stream::settleChecks() {
  {
    std::lock_guard lock(mutex_);
    if (checks_.empty()) return;
  }
  synchronize();
}

void Stream::synchronize() {
  std::vector<std::shared_ptr<RunChecks>> checks;
  {
    std::lock_guard lock(mutex_);
    checks.swap(checks_);
  }
  backend.synchronize(handle);
  std::exception_ptr first;
  for (const auto &c : checks) {
    try {
      c->raise(*this);
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

} // namespace tensorjit::device
