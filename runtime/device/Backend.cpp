#include "device/Backend.h"
#include "device/cuda/CudaBackend.h"
#include "device/null/NullBackend.h"

#include <array>
#include <atomic>
#include <mutex>

namespace tensorjit::device {

namespace {

std::unique_ptr<Backend> open(Device device) {
  switch (device.type()) {
  case DeviceType::CUDA: return openCuda(device.index());
  case DeviceType::Null: return openNull(device.index());
  case DeviceType::CPU: break;
  }
  throw device_error("the CPU has no streams and no memory of its own");
}

} // namespace

Backend &backend(Device device) {
  static std::array<std::atomic<Backend *>, 256> all{};
  auto &slot = all[device.code()];
  if (Backend *known = slot.load(std::memory_order_acquire)) return *known;
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  if (!slot.load(std::memory_order_relaxed)) slot.store(open(device).release(), std::memory_order_release);
  return *slot.load(std::memory_order_relaxed);
}

int count(DeviceType type, std::string *why) {
  return type == DeviceType::CUDA ? countCuda(why) : type == DeviceType::Null ? Device::maxIndex + 1 : 1;
}

} // namespace tensorjit::device
