#include "execute/SharedMemory.h"

#include "device/Settings.h"

namespace cudasim {
namespace {

constexpr uint32_t atomicBit = 32;

uint32_t stamp(const Warp &w, uint32_t kind = 0) { return w.clock[w.index] << 6 | kind | w.index; }
uint32_t warpOf(uint32_t stamp) { return stamp & 31; }

} // namespace

SharedMemory::SharedMemory(uint32_t size)
    : bytes_(size, std::byte{0xCB}), states_(size, Unwritten), words_((size + 3) / 4) {}

void SharedMemory::race(Warp &w, const Instr &in, uint32_t at, uint32_t other, const char *now, const char *before,
                        unsigned lane) {
  w.fault(FaultKind::Race, in,
          std::string(now) + " of shared byte " + std::to_string(at) + " races with a " + before + " by warp " +
              std::to_string(warpOf(other)) + ": no barrier lies between them",
          static_cast<int>(lane));
}

void SharedMemory::readWord(Warp &w, const Instr &in, Word &word, uint8_t bytes, uint32_t at, unsigned lane) {
  uint32_t mine = stamp(w);
  if (!isBefore(w, word.written) && (word.writtenBytes & bytes)) race(w, in, at, word.written, "read", "write", lane);
  if (word.read == mine) {
    word.readBytes |= bytes;
    return;
  }
  if (word.read && warpOf(word.read) != w.index) {
    word.readOther = word.read;
    word.otherBytes = word.readBytes;
  }
  word.read = mine;
  word.readBytes = bytes;
}

void SharedMemory::writeWord(Warp &w, const Instr &in, Word &word, uint8_t bytes, uint32_t at, unsigned lane) {
  uint32_t mine = stamp(w);
  if (!isBefore(w, word.written) && (word.writtenBytes & bytes)) race(w, in, at, word.written, "write", "write", lane);
  if ((word.readBytes & bytes) && !isBefore(w, word.read)) race(w, in, at, word.read, "write", "read", lane);
  if ((word.otherBytes & bytes) && !isBefore(w, word.readOther)) race(w, in, at, word.readOther, "write", "read", lane);
  word.writtenBytes = static_cast<uint8_t>(word.written == mine ? word.writtenBytes | bytes : bytes);
  word.written = mine;
}

void SharedMemory::atomic(Warp &w, const Instr &in, uint32_t at, uint32_t size, unsigned lane, bool orders) {
  if (orders) acquire(w, at);
  uint32_t mine = stamp(w, atomicBit);
  eachWord(at, size, [&](Word &word, uint8_t bytes) {
    if (!(word.written & atomicBit) && !isBefore(w, word.written))
      race(w, in, at, word.written, "atomic access", "write", lane);
    if (!isBefore(w, word.read)) race(w, in, at, word.read, "atomic access", "read", lane);
    if (!isBefore(w, word.readOther)) race(w, in, at, word.readOther, "atomic access", "read", lane);
    word.written = mine;
    word.writtenBytes = bytes;
  });
  if (orders) release(w, at);
}

void SharedMemory::acquire(Warp &w, uint32_t at) {
  auto found = released_.find(at);
  if (found == released_.end()) return;
  for (size_t i = 0; i < 32; ++i) w.clock[i] = std::max(w.clock[i], found->second[i]);
}

void SharedMemory::release(Warp &w, uint32_t at) {
  auto [entry, isNew] = released_.try_emplace(at, w.clock);
  if (!isNew)
    for (size_t i = 0; i < 32; ++i) entry->second[i] = std::max(entry->second[i], w.clock[i]);
  ++w.clock[w.index];
}

} // namespace cudasim
