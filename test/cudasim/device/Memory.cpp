#include "device/Memory.h"

#include "device/Settings.h"

#include <cstring>
#include <new>
#include <sys/mman.h>

namespace cudasim {
namespace {

constexpr uint64_t page = 4096, chunk = uint64_t(1) << 21, gap = 256;
constexpr std::byte poison{0xCB};

uint64_t roundUp(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }

void *reserve(uint64_t size) {
  void *p = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  return p;
}

} // namespace

DeviceMemory &DeviceMemory::instance() {
  static auto *memory = new DeviceMemory; // outlives everything that may free into it
  return *memory;
}

DeviceMemory::DeviceMemory() {
  base_ = reinterpret_cast<uint64_t>(reserve(span)); // stays inaccessible: only the addresses are used
  data_ = static_cast<std::byte *>(reserve(span));
  state_ = static_cast<uint8_t *>(reserve(span));
  sectors_ = static_cast<uint32_t *>(reserve(span / 4));
  next_ = opened_ = base_ = roundUp(base_, chunk);
}

/// Makes the bytes behind addresses below `end` usable.
void DeviceMemory::open(uint64_t begin, uint64_t end) {
  (void)begin;
  if (end <= opened_) return;
  end = roundUp(end, chunk);
  auto allow = [&](void *p, uint64_t at, uint64_t size) {
    if (mprotect(static_cast<std::byte *>(p) + at, size, PROT_READ | PROT_WRITE)) throw std::bad_alloc();
  };
  uint64_t at = opened_ - base_, size = end - opened_;
  allow(data_, at, size);
  allow(state_, at, size);
  allow(sectors_, at / 4, size / 4);
  opened_ = end;
}

uint64_t DeviceMemory::place(uint64_t size, uint64_t align) {
  uint64_t at = roundUp(next_, align);
  if (at + size + gap < base_ + span - 2 * chunk) {
    next_ = at + size + gap;
    open(at, next_);
    return at;
  }
  for (size_t i = 0; i < freed_.size(); ++i) { // every address was used once: the oldest hole that fits
    auto hole = allocations_.find(freed_[i]);
    if (hole == allocations_.end() || hole->second.size < size || freed_[i] % align) continue;
    at = freed_[i];
    freed_.erase(freed_.begin() + static_cast<long>(i));
    return at;
  }
  return 0;
}

uint64_t DeviceMemory::allocate(uint64_t size, uint64_t align, const std::string &name) {
  uint64_t charged = roundUp(std::max<uint64_t>(size, 1), 512);
  if (size > settings().memoryBytes || used_ + charged > settings().memoryBytes) return 0;
  uint64_t at = place(size, std::max<uint64_t>(align, 256));
  if (!at) return 0;
  std::memset(state(at), Uninitialized, size);
  if (!settings().checkUninitialized) std::memset(data(at), static_cast<int>(poison), size);
  allocations_[at] = {at, size, false, name};
  used_ += charged;
  return at;
}

bool DeviceMemory::free(uint64_t base) {
  auto found = allocations_.find(base);
  if (found == allocations_.end() || found->second.freed) return false;
  uint64_t size = found->second.size;
  found->second.freed = true;
  used_ -= roundUp(std::max<uint64_t>(size, 1), 512);
  uint64_t first = roundUp(base, page), last = (base + size) / page * page;
  if (first < last) {
    std::memset(state(base), NoAccess, first - base);
    std::memset(state(last), NoAccess, base + size - last);
    madvise(state(first), last - first, MADV_DONTNEED); // reads as zero afterwards: no access
    madvise(data(first), last - first, MADV_DONTNEED);
  } else {
    std::memset(state(base), NoAccess, size);
  }
  freed_.push_back(base);
  return true;
}

const DeviceMemory::Allocation *DeviceMemory::nearest(uint64_t address) const {
  auto after = allocations_.upper_bound(address);
  return after == allocations_.begin() ? nullptr : &std::prev(after)->second;
}

const DeviceMemory::Allocation *DeviceMemory::find(uint64_t address, uint64_t size) const {
  const Allocation *a = nearest(address);
  bool inside =
      a && !a->freed && address - a->base < std::max<uint64_t>(a->size, 1) && size <= a->size - (address - a->base);
  return inside ? a : nullptr;
}

std::string DeviceMemory::describe(uint64_t address, uint64_t size) const {
  auto number = [](uint64_t n) { return std::to_string(n); };
  const Allocation *a = nearest(address);
  if (!a || !contains(address)) {
    auto after = allocations_.upper_bound(address);
    if (contains(address) && after != allocations_.end())
      return number(after->first - address) + " bytes before an allocation of " + number(after->second.size) + " bytes";
    return "no allocation is near";
  }
  std::string what = (a->name.empty() ? "an allocation" : "'" + a->name + "'") + std::string(" of ") + number(a->size) +
                     " bytes" + (a->freed ? " that was freed" : "");
  uint64_t offset = address - a->base;
  if (offset + size <= a->size) return "at byte " + number(offset) + " of " + what;
  if (offset >= a->size) return number(offset - a->size) + " bytes past the end of " + what;
  return "reaching " + number(offset + size - a->size) + " bytes past the end of " + what;
}

void DeviceMemory::addHost(std::byte *base, size_t size, bool owned, unsigned flags) {
  hosts_[base] = {base, size, owned, flags};
}

bool DeviceMemory::removeHost(std::byte *base) { return hosts_.erase(base) != 0; }

const DeviceMemory::HostRange *DeviceMemory::host(const void *address, size_t size) const {
  auto *p = static_cast<std::byte *>(const_cast<void *>(address));
  auto after = hosts_.upper_bound(p);
  if (after == hosts_.begin()) return nullptr;
  const HostRange &range = std::prev(after)->second;
  auto offset = static_cast<size_t>(p - range.base);
  return offset < range.size && size <= range.size - offset ? &range : nullptr;
}

void DeviceMemory::copyOut(std::byte *to, uint64_t from, size_t size) const {
  if (!size) return;
  std::memcpy(to, data(from), size);
  const uint8_t *known = state(from);
  if (!settings().checkUninitialized || !std::memchr(known, Uninitialized, size)) return;
  for (size_t i = 0; i < size; ++i)
    if (known[i] != Initialized) to[i] = poison;
}

void DeviceMemory::copyIn(uint64_t to, const std::byte *from, size_t size) {
  if (!size) return;
  std::memcpy(data(to), from, size);
  std::memset(state(to), Initialized, size);
}

void DeviceMemory::copyWithin(uint64_t to, uint64_t from, size_t size) {
  if (!size) return;
  std::memmove(data(to), data(from), size);
  std::memmove(state(to), state(from), size);
}

} // namespace cudasim
