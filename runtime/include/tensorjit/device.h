#pragma once
#include <cstdint>
#include <string>

namespace tensorjit {

/// `Null` computes nothing of its own: its memory is the host's and every op is a host call. Tests run on it, and a
/// new device starts from it.
enum class DeviceType : uint8_t { CPU, CUDA, Null };

inline constexpr DeviceType kCPU = DeviceType::CPU, kCUDA = DeviceType::CUDA;

/// Where a tensor lies and its ops run: "cpu", "cuda" (the same as "cuda:0"), "cuda:1". One byte. Naming a device does
/// not open it.
class Device {
public:
  static constexpr int maxIndex = 31;

  constexpr Device() = default; ///< the CPU
  /// Throws `device_error` for an index below 0 or above `maxIndex`.
  constexpr Device(DeviceType type, int index = 0)
      : code_(static_cast<uint8_t>(static_cast<uint8_t>(type) << 5 | checked(index))) {}
  /// Throws `device_error` for a text that names no kind of device.
  Device(const std::string &text);
  Device(const char *text) : Device(std::string(text)) {}
  static constexpr Device fromCode(uint8_t code) {
    Device d;
    d.code_ = code;
    return d;
  }

  constexpr DeviceType type() const { return static_cast<DeviceType>(code_ >> 5); }
  constexpr int index() const { return code_ & 31; }
  constexpr bool is_cpu() const { return code_ == 0; }
  constexpr bool is_cuda() const { return type() == DeviceType::CUDA; }
  /// The device as one byte, 0 for the CPU.
  constexpr uint8_t code() const { return code_; }
  /// "cpu", "cuda:0"
  std::string str() const;
  friend constexpr bool operator==(Device, Device) = default;

private:
  static constexpr uint8_t checked(int index) {
    if (index < 0 || index > maxIndex) failIndex(index);
    return static_cast<uint8_t>(index);
  }
  [[noreturn]] static void failIndex(int index);
  uint8_t code_ = 0;
};

} // namespace tensorjit
