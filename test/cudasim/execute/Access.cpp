#include "execute/Access.h"

#include "device/Memory.h"
#include "execute/Block.h"
#include "execute/Grid.h"
#include "execute/Move.h"
#include "execute/Rows.h"
#include "execute/Windows.h"

#include <algorithm>

namespace cudasim {

using ptx::Space;

namespace {

const char *verb(AccessKind kind) {
  return kind == AccessKind::Store        ? "store of "
         : kind == AccessKind::Atomic     ? "atomic access to "
         : kind == AccessKind::CopySource ? "asynchronous read of "
                                          : "load of ";
}

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

[[noreturn]] void fail(Warp &w, const Instr &in, unsigned lane, FaultKind fault, AccessKind kind, unsigned size,
                       const std::string &where) {
  w.fault(fault, in, verb(kind) + std::to_string(size) + (size == 1 ? " byte" : " bytes") + " of " + where,
          static_cast<int>(lane));
}

/// Why `size` bytes at a global address cannot be used.
[[noreturn]] void failGlobal(Warp &w, const Instr &in, unsigned lane, AccessKind kind, unsigned size,
                             uint64_t address) {
  DeviceMemory &memory = DeviceMemory::instance();
  std::string where = "global memory at " + hex(address) + ", " + memory.describe(address, size);
  if (address % size) fail(w, in, lane, FaultKind::Misaligned, kind, size, where);
  if (memory.find(address, size)) fail(w, in, lane, FaultKind::Uninitialized, kind, size, where);
  const auto *near = memory.nearest(address);
  bool freed = near && near->freed && address - near->base < near->size;
  fail(w, in, lane, freed ? FaultKind::Freed : FaultKind::OutOfBounds, kind, size, where);
}

template <class T> T get(const void *p) {
  T value;
  std::memcpy(&value, p, sizeof(T));
  return value;
}

/// Every byte's state has all the bits of `needed`.
template <unsigned Size> bool allHave(const uint8_t *state, uint8_t needed) {
  if constexpr (Size <= 8) {
    using T =
        std::conditional_t<Size == 1, uint8_t,
                           std::conditional_t<Size == 2, uint16_t, std::conditional_t<Size == 4, uint32_t, uint64_t>>>;
    T pattern = static_cast<T>(0x0101010101010101ull * needed);
    return (get<T>(state) & pattern) == pattern;
  } else {
    return allHave<Size / 2>(state, needed) && allHave<Size / 2>(state + Size / 2, needed);
  }
}

template <unsigned Size>
std::byte *globalOne(Warp &w, const Instr &in, unsigned lane, AccessKind kind, uint64_t address, bool checkInit,
                     DeviceMemory &memory) {
  bool loads = kind != AccessKind::Store;
  if (!memory.contains(address)) {
    auto *host = reinterpret_cast<void *>(address);
    if (address % Size == 0 && memory.host(host, Size)) return static_cast<std::byte *>(host); // pinned
    failGlobal(w, in, lane, kind, Size, address);
  }
  uint8_t *state = memory.state(address);
  if (address % Size || !allHave<Size>(state, loads && checkInit ? Initialized : Uninitialized))
    failGlobal(w, in, lane, kind, Size, address);
  if (kind == AccessKind::Store || kind == AccessKind::Atomic) std::memset(state, Initialized, Size);
  return memory.data(address);
}

/// Sectors of one request, each once: `sectors` holds the lanes' numbers.
void countSectors(Warp &w, Traffic &traffic, uint64_t *sectors, unsigned count, bool store) {
  bool sorted = true;
  for (unsigned i = 1; i < count; ++i) sorted &= sectors[i - 1] <= sectors[i];
  if (!sorted) std::sort(sectors, sectors + count);
  DeviceMemory &memory = DeviceMemory::instance();
  uint32_t launch = w.block.grid.number;
  uint64_t last = ~uint64_t(0);
  for (unsigned i = 0; i < count; ++i) {
    if (sectors[i] == last) continue;
    last = sectors[i];
    ++traffic.sectors;
    if (!memory.contains(last << 5)) continue;
    uint32_t &seen = memory.loadedBy(last << 5)[store];
    if (seen != launch) {
      seen = launch;
      ++traffic.uniqueSectors;
    }
  }
}

enum class Pattern { Uniform, Contiguous, Other };
template <unsigned Size> Pattern patternOf(uint32_t active, const uint64_t *addresses) {
  uint64_t first = addresses[std::countr_zero(active)], notUniform = 0, notContiguous = 0;
  for (unsigned i = 0; i < 32; ++i) {
    notUniform |= active >> i & 1 ? addresses[i] ^ first : 0;
    notContiguous |= addresses[i] ^ (addresses[0] + i * Size);
  }
  if (!notUniform) return Pattern::Uniform;
  return active == allLanes && !notContiguous ? Pattern::Contiguous : Pattern::Other;
}

template <unsigned Size>
void accessGlobal(Warp &w, const Instr &in, uint32_t active, AccessKind kind, const uint64_t *addresses,
                  Places &places) {
  bool checkInit = w.block.grid.checkUninitialized;
  KernelCounters &c = w.block.grid.counters;
  Traffic &traffic = kind == AccessKind::Atomic ? c.atomic : kind == AccessKind::Store ? c.globalStore : c.globalLoad;
  ++traffic.requests;
  traffic.bytes += static_cast<uint64_t>(std::popcount(active)) * Size;
  uint64_t sectors[32];
  unsigned count = 0;
  DeviceMemory &memory = DeviceMemory::instance();
  Pattern pattern = patternOf<Size>(active, addresses);
  if (pattern == Pattern::Uniform && kind == AccessKind::Load) {
    unsigned lane = static_cast<unsigned>(std::countr_zero(active));
    std::byte *place = globalOne<Size>(w, in, lane, kind, addresses[lane], checkInit, memory);
    for (unsigned i = 0; i < 32; ++i) places.at[i] = place;
    places.uniform = true;
    sectors[count++] = addresses[lane] >> 5;
    return countSectors(w, traffic, sectors, count, false);
  }
  if (pattern == Pattern::Contiguous && addresses[0] % Size == 0 && memory.contains(addresses[0])) {
    uint8_t *state = memory.state(addresses[0]);
    uint8_t needed = kind != AccessKind::Store && checkInit ? Initialized : Uninitialized, seen = 255;
    for (unsigned i = 0; i < 32 * Size; ++i) seen &= state[i];
    if ((seen & needed) == needed) {
      if (kind == AccessKind::Store || kind == AccessKind::Atomic) std::memset(state, Initialized, 32 * Size);
      std::byte *data = memory.data(addresses[0]);
      for (unsigned i = 0; i < 32; ++i) places.at[i] = data + i * Size;
      places.contiguous = true;
      uint64_t first = addresses[0] >> 5, last = (addresses[0] + 32 * Size - 1) >> 5;
      for (uint64_t s = first; s <= last; ++s) sectors[count++] = s;
      return countSectors(w, traffic, sectors, count, kind == AccessKind::Store);
    }
  }
  eachLane(active, [&](unsigned i) {
    places.at[i] = globalOne<Size>(w, in, i, kind, addresses[i], checkInit, memory);
    sectors[count++] = addresses[i] >> 5;
  });
  countSectors(w, traffic, sectors, count, kind == AccessKind::Store);
}

/// The passes that the banks need: lanes of one pass touch different words of a bank only one after the other.
void countBanks(Warp &w, uint32_t active, unsigned size, const uint64_t *addresses) {
  KernelCounters &c = w.block.grid.counters;
  ++c.sharedRequests;
  unsigned lanesAtOnce = size <= 4 ? 32 : 128 / size, words = std::max(1u, size / 4), waves = 0, fewest = 0;
  for (unsigned first = 0; first < 32; first += lanesAtOnce) {
    uint32_t lanes = active >> first & (lanesAtOnce == 32 ? ~0u : (1u << lanesAtOnce) - 1);
    if (!lanes) continue;
    ++fewest;
    uint32_t low = ~0u, high = 0;
    eachLane(lanes, [&](unsigned i) {
      auto word = static_cast<uint32_t>(addresses[first + i] / 4);
      low = std::min(low, word);
      high = std::max(high, word + words - 1);
    });
    if (high - low < 32) { // each bank has one word at most
      ++waves;
      continue;
    }
    uint32_t seen[32][32];
    uint8_t used[32] = {};
    unsigned most = 0;
    eachLane(lanes, [&](unsigned i) {
      for (unsigned k = 0; k < words; ++k) {
        auto word = static_cast<uint32_t>(addresses[first + i] / 4 + k);
        unsigned bank = word & 31, n = used[bank], j = 0;
        while (j < n && seen[bank][j] != word) ++j;
        if (j < n) continue;
        seen[bank][n] = word;
        used[bank] = static_cast<uint8_t>(n + 1);
        most = std::max(most, n + 1);
      }
    });
    waves += most;
  }
  c.sharedWaves += waves;
  c.bankConflicts += waves - fewest;
}

/// By `lanes` at one address, of which `lane` is one.
std::byte *sharedOne(Warp &w, const Instr &in, unsigned lane, AccessKind kind, unsigned size, uint64_t address,
                     uint32_t lanes) {
  SharedMemory &shared = w.block.shared;
  auto where = [&] {
    return "shared memory at byte " + std::to_string(address) + " of " + std::to_string(shared.size());
  };
  if (address % size) fail(w, in, lane, FaultKind::Misaligned, kind, size, where());
  if (address + size > shared.size() || address > shared.size())
    fail(w, in, lane, FaultKind::OutOfBounds, kind, size, where());
  auto at = static_cast<uint32_t>(address);
  uint8_t *state = shared.state(at);
  if (kind != AccessKind::Store && w.block.grid.checkUninitialized)
    for (unsigned k = 0; k < size; ++k)
      if (state[k] != SharedMemory::Written)
        fail(w, in, lane, state[k] == SharedMemory::Pending ? FaultKind::PendingCopy : FaultKind::Uninitialized, kind,
             size, where());
  if (kind == AccessKind::Store || kind == AccessKind::Atomic) std::memset(state, SharedMemory::Written, size);
  if (w.block.grid.checkRaces) {
    bool strong = in.flags & Strong;
    if (kind == AccessKind::Atomic) shared.atomic(w, in, at, size, lane, (in.flags & Ordering) || w.fenced);
    else if (strong) { // other warps may poll it: it orders, and races with nothing strong
      if (kind == AccessKind::Load) shared.acquire(w, at);
      else shared.atomic(w, in, at, size, lane, true);
    } else if (kind == AccessKind::Store) shared.write(w, in, at, size, lane, lanes);
    else shared.read(w, in, at, size, lane, lanes);
  }
  return shared.data(at);
}

void note(Warp &w, const Instr &in, uint32_t at, unsigned size, unsigned lane, bool loads) {
  SharedMemory &shared = w.block.shared;
  loads ? shared.read(w, in, at, size, lane, 1u << lane) : shared.write(w, in, at, size, lane, 1u << lane);
}

/// Lanes side by side.
template <unsigned Size> void noteAll(Warp &w, const Instr &in, uint32_t at, bool loads) {
  if constexpr (Size >= 4)
    if (loads ? w.block.shared.readAll<Size>(w, at) : w.block.shared.writeAll<Size>(w, at)) return;
  for (unsigned i = 0; i < 32; ++i) note(w, in, at + i * Size, Size, i, loads);
}

/// All lanes at one place, or loads and stores that need nothing but the common checks.
template <unsigned Size>
void accessShared(Warp &w, const Instr &in, uint32_t active, AccessKind kind, const uint64_t *addresses,
                  Places &places) {
  SharedMemory &shared = w.block.shared;
  bool plain = kind != AccessKind::Atomic && !(in.flags & Strong), loads = kind != AccessKind::Store;
  bool checkInit = loads && w.block.grid.checkUninitialized, checkRaces = w.block.grid.checkRaces;
  Pattern pattern = patternOf<Size>(active, addresses);
  if (plain && pattern == Pattern::Uniform) { // every lane reads, or the last one's store stays
    unsigned lane = static_cast<unsigned>(std::countr_zero(active));
    ++w.block.grid.counters.sharedRequests;
    ++w.block.grid.counters.sharedWaves;
    std::byte *place = sharedOne(w, in, lane, kind, Size, addresses[lane], active);
    for (unsigned i = 0; i < 32; ++i) places.at[i] = place;
    places.uniform = true;
    return;
  }
  uint64_t begin = addresses[0];
  if (plain && pattern == Pattern::Contiguous && begin % Size == 0 && begin + 32 * Size <= shared.size()) {
    auto at = static_cast<uint32_t>(begin);
    uint8_t seen = SharedMemory::Written, *state = shared.state(at);
    if (checkInit)
      for (unsigned i = 0; i < 32 * Size; ++i) seen &= state[i];
    if (seen == SharedMemory::Written) {
      unsigned waves = std::max(1u, Size / 4);
      ++w.block.grid.counters.sharedRequests;
      w.block.grid.counters.sharedWaves += waves;
      if (!loads) std::memset(state, SharedMemory::Written, 32 * Size);
      if (checkRaces) noteAll<Size>(w, in, at, loads);
      for (unsigned i = 0; i < 32; ++i) places.at[i] = shared.data(at) + i * Size;
      places.contiguous = true;
      return;
    }
  }
  countBanks(w, active, Size, addresses);
  uint64_t last = ~uint64_t(0);
  std::byte *lastPlace = nullptr;
  eachLane(active, [&](unsigned i) {
    uint64_t address = addresses[i];
    if (address == last && plain) {
      if (checkRaces) note(w, in, static_cast<uint32_t>(address), Size, i, loads);
      places.at[i] = lastPlace;
      return;
    }
    bool easy = plain && address % Size == 0 && address < shared.size() && address + Size <= shared.size();
    auto at = static_cast<uint32_t>(address);
    if (!easy || (checkInit && !allHave<Size>(shared.state(at), SharedMemory::Written))) {
      places.at[i] = sharedOne(w, in, i, kind, Size, address, 1u << i);
      return;
    }
    if (!loads) std::memset(shared.state(at), SharedMemory::Written, Size);
    if (checkRaces) note(w, in, at, Size, i, loads);
    last = address;
    places.at[i] = lastPlace = shared.data(at);
  });
}

std::byte *localOne(Warp &w, const Instr &in, unsigned lane, AccessKind kind, unsigned size, uint64_t address) {
  const Frame *frame = w.current->frame;
  uint64_t limit = frame->localBase + frame->code->localBytes;
  auto where = [&] { return "local memory at byte " + std::to_string(address) + " of " + std::to_string(limit); };
  if (address % size) fail(w, in, lane, FaultKind::Misaligned, kind, size, where());
  if (address + size > limit || address > limit) fail(w, in, lane, FaultKind::OutOfBounds, kind, size, where());
  if (w.localStride < limit) w.growLocal(static_cast<uint32_t>(limit));
  uint8_t *state = w.localState.data() + lane * w.localStride + address;
  if (kind == AccessKind::Store || kind == AccessKind::Atomic) {
    std::memset(state, Initialized, size);
  } else if (w.block.grid.checkUninitialized) {
    for (unsigned k = 0; k < size; ++k)
      if (state[k] != Initialized) fail(w, in, lane, FaultKind::Uninitialized, kind, size, where());
  }
  return w.local.data() + lane * w.localStride + address;
}

std::byte *paramOne(Warp &w, const Instr &in, unsigned lane, AccessKind kind, unsigned size, uint64_t address) {
  const auto &bytes = w.block.grid.parameters;
  if (kind != AccessKind::Load || address + size > bytes.size() || address % size)
    fail(w, in, lane, FaultKind::OutOfBounds, kind, size, "the parameters at byte " + std::to_string(address));
  return const_cast<std::byte *>(bytes.data()) + address;
}

std::byte *globalSized(Warp &w, const Instr &in, unsigned lane, AccessKind kind, unsigned size, uint64_t address) {
  bool check = w.block.grid.checkUninitialized;
  DeviceMemory &memory = DeviceMemory::instance();
  switch (size) {
  case 1: return globalOne<1>(w, in, lane, kind, address, check, memory);
  case 2: return globalOne<2>(w, in, lane, kind, address, check, memory);
  case 4: return globalOne<4>(w, in, lane, kind, address, check, memory);
  case 8: return globalOne<8>(w, in, lane, kind, address, check, memory);
  case 16: return globalOne<16>(w, in, lane, kind, address, check, memory);
  default: return globalOne<32>(w, in, lane, kind, address, check, memory);
  }
}

Space resolve(uint64_t &address) {
  if (address - sharedWindow < windowSize) return address -= sharedWindow, Space::Shared;
  if (address - localWindow < windowSize) return address -= localWindow, Space::Local;
  if (address - paramWindow < windowSize) return address -= paramWindow, Space::Param;
  return Space::Global;
}

} // namespace

std::byte *accessOne(Warp &w, const Instr &in, unsigned lane, Space space, AccessKind kind, unsigned size,
                     uint64_t address) {
  if (space == Space::Generic) space = resolve(address);
  switch (space) {
  case Space::Shared: return sharedOne(w, in, lane, kind, size, address, 1u << lane);
  case Space::Local: return localOne(w, in, lane, kind, size, address);
  case Space::Param: return paramOne(w, in, lane, kind, size, address);
  default: return globalSized(w, in, lane, kind, size, address);
  }
}

void access(Warp &w, const Instr &in, uint32_t active, Space space, AccessKind kind, unsigned size,
            const uint64_t *addresses, Places &places) {
  uint64_t resolved[32];
  if (space == Space::Generic) { // almost always all lanes in one space
    Space of[32] = {};
    std::copy(addresses, addresses + 32, resolved);
    unsigned first = static_cast<unsigned>(std::countr_zero(active));
    uint32_t same = 0;
    eachLane(active, [&](unsigned i) { of[i] = resolve(resolved[i]); });
    eachLane(active, [&](unsigned i) { same |= of[i] == of[first] ? 1u << i : 0u; });
    if (same != active) {
      access(w, in, same, of[first], kind, size, resolved, places);
      access(w, in, active & ~same, Space::Generic, kind, size, addresses, places);
      places.contiguous = places.uniform = false;
      return;
    }
    space = of[first];
    addresses = resolved;
  }
  places.contiguous = places.uniform = false;
  if (space == Space::Const) { // has a cache of its own: no sectors
    Traffic before = w.block.grid.counters.globalLoad;
    access(w, in, active, Space::Global, kind, size, addresses, places);
    w.block.grid.counters.globalLoad = before;
    return;
  }
  switch (space) {
  case Space::Global:
    switch (size) {
    case 1: return accessGlobal<1>(w, in, active, kind, addresses, places);
    case 2: return accessGlobal<2>(w, in, active, kind, addresses, places);
    case 4: return accessGlobal<4>(w, in, active, kind, addresses, places);
    case 8: return accessGlobal<8>(w, in, active, kind, addresses, places);
    case 16: return accessGlobal<16>(w, in, active, kind, addresses, places);
    default: return accessGlobal<32>(w, in, active, kind, addresses, places);
    }
  case Space::Shared:
    ++w.accesses;
    switch (size) {
    case 1: return accessShared<1>(w, in, active, kind, addresses, places);
    case 2: return accessShared<2>(w, in, active, kind, addresses, places);
    case 4: return accessShared<4>(w, in, active, kind, addresses, places);
    case 8: return accessShared<8>(w, in, active, kind, addresses, places);
    case 16: return accessShared<16>(w, in, active, kind, addresses, places);
    default: return accessShared<32>(w, in, active, kind, addresses, places);
    }
  default:
    return eachLane(active, [&](unsigned i) { places.at[i] = accessOne(w, in, i, space, kind, size, addresses[i]); });
  }
}

void addressesOf(Warp &w, const Instr &in, uint64_t *addresses) {
  auto offset = static_cast<uint64_t>(in.imm);
  if (!(in.flags & HasBase)) {
    for (unsigned i = 0; i < 32; ++i) addresses[i] = offset;
  } else if (in.flags & WideAddress) {
    const uint64_t *a = w.row<uint64_t>(in.a);
    CUDASIM_LANES addresses[i] = a[i] + offset;
  } else {
    const uint32_t *a = w.row<uint32_t>(in.a);
    CUDASIM_LANES addresses[i] = static_cast<uint32_t>(a[i] + static_cast<uint32_t>(offset));
  }
}

Space spaceOf(Builder &b) {
  for (auto m : b.in().modifiers) {
    if (m == ".global") return Space::Global;
    if (m == ".const") return Space::Const;
    if (m == ".shared" || m == ".shared::cta") return Space::Shared;
    if (m == ".local") return Space::Local;
    if (m == ".param" || m == ".param::entry" || m == ".param::func") return Space::Param;
    if (m == ".shared::cluster") b.refuse("thread block clusters are not supported");
  }
  return Space::Generic;
}

void setAddress(Instr &in, const Builder::AddressParts &parts) {
  in.a = parts.base;
  in.imm = parts.offset;
  in.flags = static_cast<uint8_t>((parts.hasBase ? HasBase : 0) | (parts.wide ? WideAddress : 0));
}

Builder::AddressParts addressOperand(Builder &b, size_t operand) {
  Builder::AddressParts parts = b.address(b.operand(operand));
  if (parts.isLocalVariable) { // relative to the frame of the call
    Ref row = b.scratch();
    b.emit(move::localAddress64, OpClass::Hidden, row).imm = parts.offset;
    parts = {true, true, row, 0, -1, false};
  }
  return parts;
}

OpClass loadClass(Space space) {
  return space == Space::Shared  ? OpClass::SharedLoad
         : space == Space::Local ? OpClass::LocalMemory
         : space == Space::Param ? OpClass::ParamLoad
                                 : OpClass::GlobalLoad;
}
OpClass storeClass(Space space) {
  return space == Space::Shared  ? OpClass::SharedStore
         : space == Space::Local ? OpClass::LocalMemory
         : space == Space::Param ? OpClass::ParamLoad
                                 : OpClass::GlobalStore;
}

} // namespace cudasim
