#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace cudasim {

/// What a byte of device memory may be used for.
enum ByteState : uint8_t { NoAccess = 0, Uninitialized = 1, Initialized = 3 };

/// The device's memory. Addresses are the device's own: the host cannot read or write through them. Freed addresses
/// stay unused as long as possible, and every allocation has unusable bytes behind it.
class DeviceMemory {
public:
  static DeviceMemory &instance();

  struct Allocation {
    uint64_t base, size;
    bool freed = false;
    std::string name; ///< of a module's variable
  };
  struct HostRange {
    std::byte *base;
    size_t size;
    bool owned;
    unsigned flags;
  };

  /// 0 where the device has not that much left.
  uint64_t allocate(uint64_t size, uint64_t align = 256, const std::string &name = "");
  bool free(uint64_t base);
  bool contains(uint64_t address) const { return address - base_ < span; }
  std::byte *data(uint64_t address) const { return data_ + (address - base_); }
  uint8_t *state(uint64_t address) const { return state_ + (address - base_); }
  /// The number of the last launch that loaded, and stored, each sector of 32 bytes.
  uint32_t *loadedBy(uint64_t address) const { return sectors_ + ((address - base_) >> 5) * 2; }

  /// The live allocation around all of [address, address + size).
  const Allocation *find(uint64_t address, uint64_t size = 1) const;
  /// The live or freed one at or before `address`.
  const Allocation *nearest(uint64_t address) const;
  std::string describe(uint64_t address, uint64_t size) const;
  uint64_t used() const { return used_; }

  void addHost(std::byte *base, size_t size, bool owned, unsigned flags);
  bool removeHost(std::byte *base);
  const HostRange *host(const void *address, size_t size = 1) const;

  /// Copies between device bytes with what is known of them; what was never written reads as 0xCB.
  void copyOut(std::byte *to, uint64_t from, size_t size) const;
  void copyIn(uint64_t to, const std::byte *from, size_t size);
  void copyWithin(uint64_t to, uint64_t from, size_t size);

private:
  static constexpr uint64_t span = uint64_t(1) << 40;
  DeviceMemory();
  uint64_t place(uint64_t size, uint64_t align);
  void open(uint64_t begin, uint64_t end);

  uint64_t base_ = 0, next_ = 0, opened_ = 0, used_ = 0;
  std::byte *data_ = nullptr;
  uint8_t *state_ = nullptr;
  uint32_t *sectors_ = nullptr;
  std::map<uint64_t, Allocation> allocations_;
  std::deque<uint64_t> freed_; ///< oldest first
  std::map<std::byte *, HostRange> hosts_;
};

} // namespace cudasim
