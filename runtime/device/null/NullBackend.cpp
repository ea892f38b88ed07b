// The template of a device: everything that the runtime asks of one, done by the host at once. It has no code
// generator, so each op runs as a call of its eager kernel between copies.
#include "device/null/NullBackend.h"

#include <cstdlib>
#include <cstring>

namespace tensorjit::device {

namespace {

class NullBackend final : public Backend {
public:
  explicit NullBackend(int index) : device_(DeviceType::Null, index) {}
  Device device() const override { return device_; }

  void *allocate(size_t bytes) override { return std::aligned_alloc(256, (bytes + 255) / 256 * 256); }
  void free(void *memory) noexcept override { std::free(memory); }
  bool owns(const void *) override { return true; }
  void *allocatePinned(size_t bytes) override { return allocate(bytes); }
  void freePinned(void *memory) noexcept override { std::free(memory); }

  void copyToDevice(void *to, const void *from, size_t bytes, StreamHandle) override { std::memcpy(to, from, bytes); }
  void copyToHost(void *to, const void *from, size_t bytes, StreamHandle) override { std::memcpy(to, from, bytes); }
  void copyOnDevice(void *to, const void *from, size_t bytes, StreamHandle) override { std::memcpy(to, from, bytes); }
  void copyRowsOnDevice(void *to, size_t pitch, const void *from, size_t bytes, size_t rows, StreamHandle) override {
    for (size_t i = 0; i < rows; ++i)
      std::memcpy(static_cast<std::byte *>(to) + i * pitch, static_cast<const std::byte *>(from) + i * bytes, bytes);
  }
  void fill(void *to, const void *element, size_t bytes, size_t count, StreamHandle) override {
    for (size_t i = 0; i < count; ++i) std::memcpy(static_cast<std::byte *>(to) + i * bytes, element, bytes);
  }
  void launch(KernelHandle, const Step &step, void **, StreamHandle) override {
    throw device_error(device_.str() + " runs no kernels, asked for '" + step.kernel + "'");
  }

  // Work is done when it has been put into a stream, so there is nothing to wait for.
  StreamHandle createStream() override { return this; }
  void synchronize(StreamHandle) override {}
  bool isDone(StreamHandle) override { return true; }
  EventHandle createEvent(bool) override { return this; }
  void destroyEvent(EventHandle) noexcept override {}
  void record(EventHandle, StreamHandle) override {}
  void wait(StreamHandle, EventHandle) override {}
  bool isReached(EventHandle) override { return true; }
  void awaitEvent(EventHandle) override {}
  double milliseconds(EventHandle, EventHandle) override {
    throw not_supported(device_.str() + " takes no time that events could measure");
  }

  std::unique_ptr<Module> load(std::span<const std::byte>, const std::string &name) override {
    throw device_error(device_.str() + " loads no code, asked for '" + name + "'");
  }
  int architecture() const override { return 0; }

private:
  Device device_;
};

} // namespace

std::unique_ptr<Backend> openNull(int index) { return std::make_unique<NullBackend>(index); }

} // namespace tensorjit::device
