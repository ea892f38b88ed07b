#include "execute/SharedMemory.h"

#include "device/Settings.h"
#include "execute/Rows.h"

namespace cudasim {
namespace {

constexpr uint32_t atomicBit = 32;

uint32_t stamp(const Warp &w, uint32_t kind = 0) { return w.clock[w.index] << 6 | kind | w.index; }
uint32_t warpOf(uint32_t stamp) { return stamp & 31; }
/// Whether what `stamp` marks has happened before everything that `w` does now, or is its own.
bool isBefore(const Warp &w, uint32_t stamp) {
  return warpOf(stamp) == w.index || stamp >> 6 <= w.clock[warpOf(stamp)];
}
bool isOwn(const Warp &w, uint32_t stamp) { return stamp && warpOf(stamp) == w.index; }

} // namespace

SharedMemory::Words::Words(size_t n)
    : written(n), read(n), readOther(n), writtenBytes(n), readBytes(n), otherBytes(n) {}
SharedMemory::Lanes::Lanes(size_t n) : writtenAt(n), readAt(n), readers(n), writer(n) {}

SharedMemory::SharedMemory(uint32_t size)
    : size_(size), bytes_(size, std::byte{0xCB}), states_(size, Unwritten), words_((size + 3) / 4),
      lanes_((size + 3) / 4) {}

template <class F> void SharedMemory::eachWord(uint32_t at, uint32_t size, F f) {
  if (size == 4) return f(at >> 2, uint8_t(15));
  if (size < 4 && !isSplit_) splitWords();
  uint8_t bytes = size < 4 ? static_cast<uint8_t>(((1u << size) - 1) << (at & 3)) : uint8_t(15);
  for (uint32_t word = at >> 2; word <= (at + size - 1) >> 2; ++word) f(word, bytes);
}

template <class F> void SharedMemory::eachLaneEntry(uint32_t word, uint8_t bytes, F f) {
  if (!isSplit_) return f(word);
  for (uint32_t k = 0; k < 4; ++k)
    if (bytes >> k & 1) f(4 * word + k);
}

void SharedMemory::splitWords() {
  isSplit_ = true;
  auto repeat = [](auto &words) {
    std::remove_reference_t<decltype(words)> bytes(4 * words.size());
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = words[i / 4];
    words = std::move(bytes);
  };
  repeat(lanes_.writtenAt);
  repeat(lanes_.readAt);
  repeat(lanes_.readers);
  repeat(lanes_.writer);
}

void SharedMemory::race(Warp &w, const Instr &in, uint32_t at, uint32_t other, const char *now, const char *before,
                        unsigned lane) {
  w.fault(FaultKind::Race, in,
          std::string(now) + " of shared byte " + std::to_string(at) + " races with a " + before + " by warp " +
              std::to_string(warpOf(other)) + ": no barrier lies between them",
          static_cast<int>(lane));
}

/// A lane of the same warp wrote the entry; `lanes` come to it now.
void SharedMemory::checkWriter(Warp &w, const Instr &in, uint32_t at, uint32_t entry, uint32_t lanes, const char *now) {
  const unsigned writer = lanes_.writer[entry];
  const uint32_t others = writer == several ? lanes : lanes & ~(1u << writer);
  if (!others) return;
  const unsigned lane = static_cast<unsigned>(std::countr_zero(others));
  if (w.lanesAreOrdered(lanes_.writtenAt[entry], writer == several ? lane ^ 1 : writer, lane)) return;
  w.fault(FaultKind::Race, in,
          std::string(now) + " of shared byte " + std::to_string(at) + " races with a write by " +
              (writer == several ? "other lanes" : "lane " + std::to_string(writer)) +
              " of the same warp: no __syncwarp() lies between them",
          static_cast<int>(lane));
}

/// Lanes of the same warp read the entry; `lanes` write it now.
void SharedMemory::checkReaders(Warp &w, const Instr &in, uint32_t at, uint32_t entry, uint32_t lanes,
                                const char *now) {
  const unsigned lane = static_cast<unsigned>(std::countr_zero(lanes));
  uint32_t readers = lanes_.readers[entry];
  if (std::popcount(lanes) == 1) readers &= ~lanes;
  eachLane(readers, [&](unsigned reader) {
    if (w.lanesAreOrdered(lanes_.readAt[entry], reader, lane)) return;
    w.fault(FaultKind::Race, in,
            std::string(now) + " of shared byte " + std::to_string(at) + " races with a read by lane " +
                std::to_string(reader) + " of the same warp: no __syncwarp() lies between them",
            static_cast<int>(lane));
  });
}

void SharedMemory::read(Warp &w, const Instr &in, uint32_t at, uint32_t size, unsigned lane, uint32_t lanes) {
  const uint32_t mine = stamp(w);
  eachWord(at, size, [&](uint32_t word, uint8_t bytes) {
    const uint32_t written = words_.written[word];
    if (words_.writtenBytes[word] & bytes) {
      if (!isBefore(w, written)) race(w, in, at, written, "read", "write", lane);
      if (isOwn(w, written))
        eachLaneEntry(word, bytes, [&](uint32_t entry) { checkWriter(w, in, at, entry, lanes, "read"); });
    }
    uint32_t &read = words_.read[word];
    const bool own = isOwn(w, read);
    if (read != mine) {
      if (read && !own) {
        words_.readOther[word] = read;
        words_.otherBytes[word] = words_.readBytes[word];
      }
      read = mine;
      words_.readBytes[word] = bytes;
    } else {
      words_.readBytes[word] |= bytes;
    }
    eachLaneEntry(word, bytes, [&](uint32_t entry) {
      uint32_t &readers = lanes_.readers[entry];
      const uint32_t at = lanes_.readAt[entry];
      if (!own || at <= w.lanesMetAt) readers = 0;
      // Readers that are ordered before this one say nothing more: what comes after it comes after them.
      else if (w.lanesMetInParts() && at != w.accesses)
        eachLane(readers, [&](unsigned r) {
          if (w.lanesAreOrdered(at, r, lane)) readers &= ~(1u << r);
        });
      readers |= lanes;
      lanes_.readAt[entry] = w.accesses;
    });
  });
}

void SharedMemory::write(Warp &w, const Instr &in, uint32_t at, uint32_t size, unsigned lane, uint32_t lanes) {
  const uint32_t mine = stamp(w);
  eachWord(at, size, [&](uint32_t word, uint8_t bytes) {
    uint32_t &written = words_.written[word];
    const uint32_t read = words_.read[word], other = words_.readOther[word];
    if (words_.writtenBytes[word] & bytes) {
      if (!isBefore(w, written)) race(w, in, at, written, "write", "write", lane);
      if (isOwn(w, written))
        eachLaneEntry(word, bytes, [&](uint32_t entry) { checkWriter(w, in, at, entry, lanes, "write"); });
    }
    if (words_.readBytes[word] & bytes) {
      if (!isBefore(w, read)) race(w, in, at, read, "write", "read", lane);
      if (isOwn(w, read))
        eachLaneEntry(word, bytes, [&](uint32_t entry) { checkReaders(w, in, at, entry, lanes, "write"); });
    }
    if ((words_.otherBytes[word] & bytes) && !isBefore(w, other)) race(w, in, at, other, "write", "read", lane);
    words_.writtenBytes[word] = static_cast<uint8_t>(written == mine ? words_.writtenBytes[word] | bytes : bytes);
    written = mine;
    eachLaneEntry(word, bytes, [&](uint32_t entry) {
      const bool same = lanes_.writtenAt[entry] == w.accesses && lanes_.writer[entry] != lane;
      lanes_.writer[entry] = same || std::popcount(lanes) > 1 ? several : static_cast<uint8_t>(lane);
      lanes_.writtenAt[entry] = w.accesses;
    });
  });
}

template <unsigned Size> bool SharedMemory::readAll(Warp &w, uint32_t at) {
  if (isSplit_ || w.lanesMetInParts()) return false;
  constexpr unsigned count = 8 * Size;
  const uint32_t first = at >> 2, mine = stamp(w), index = w.index, met = w.lanesMetAt, now = w.accesses;
  uint32_t *written = &words_.written[first], *read = &words_.read[first], *other = &words_.readOther[first];
  uint32_t *readAt = &lanes_.readAt[first], *readers = &lanes_.readers[first], *writtenAt = &lanes_.writtenAt[first];
  uint8_t *readBytes = &words_.readBytes[first], *otherBytes = &words_.otherBytes[first];
  const uint8_t *writer = &lanes_.writer[first];
  uint32_t wrong = 0;
#pragma GCC ivdep
  for (unsigned i = 0; i < count; ++i) {
    const uint32_t s = written[i], warp = s & 31, lane = i / (Size / 4);
    const uint32_t late = warp != index && s >> 6 > w.clock[warp];
    const uint32_t racing = s && warp == index && writtenAt[i] > met && writer[i] != lane;
    wrong |= late | racing;
  }
  if (wrong) return false;
#pragma GCC ivdep
  for (unsigned i = 0; i < count; ++i) {
    const uint32_t r = read[i], lane = i / (Size / 4);
    const bool others = r && (r & 31) != index, fresh = r && !others && readAt[i] > met;
    other[i] = others ? r : other[i];
    otherBytes[i] = others ? readBytes[i] : otherBytes[i];
    readers[i] = (fresh ? readers[i] : 0) | 1u << lane;
    readAt[i] = now;
    read[i] = mine;
    readBytes[i] = 15;
  }
  return true;
}

template <unsigned Size> bool SharedMemory::writeAll(Warp &w, uint32_t at) {
  if (isSplit_ || w.lanesMetInParts()) return false;
  constexpr unsigned count = 8 * Size;
  const uint32_t first = at >> 2, mine = stamp(w), index = w.index, met = w.lanesMetAt, now = w.accesses;
  uint32_t *written = &words_.written[first], *writtenAt = &lanes_.writtenAt[first];
  const uint32_t *read = &words_.read[first], *other = &words_.readOther[first];
  const uint32_t *readAt = &lanes_.readAt[first], *readers = &lanes_.readers[first];
  uint8_t *writtenBytes = &words_.writtenBytes[first], *writer = &lanes_.writer[first];
  uint32_t wrong = 0;
#pragma GCC ivdep
  for (unsigned i = 0; i < count; ++i) {
    const uint32_t s = written[i], r = read[i], o = other[i], lane = i / (Size / 4);
    const uint32_t late = ((s & 31) != index && s >> 6 > w.clock[s & 31]) |
                          ((r & 31) != index && r >> 6 > w.clock[r & 31]) |
                          ((o & 31) != index && o >> 6 > w.clock[o & 31]);
    const uint32_t racing = (s && (s & 31) == index && writtenAt[i] > met && writer[i] != lane) |
                            (r && (r & 31) == index && readAt[i] > met && (readers[i] & ~(1u << lane)));
    wrong |= late | racing;
  }
  if (wrong) return false;
#pragma GCC ivdep
  for (unsigned i = 0; i < count; ++i) {
    written[i] = mine;
    writtenAt[i] = now;
    writtenBytes[i] = 15;
    writer[i] = static_cast<uint8_t>(i / (Size / 4));
  }
  return true;
}

template bool SharedMemory::readAll<4>(Warp &, uint32_t);
template bool SharedMemory::readAll<8>(Warp &, uint32_t);
template bool SharedMemory::readAll<16>(Warp &, uint32_t);
template bool SharedMemory::readAll<32>(Warp &, uint32_t);
template bool SharedMemory::writeAll<4>(Warp &, uint32_t);
template bool SharedMemory::writeAll<8>(Warp &, uint32_t);
template bool SharedMemory::writeAll<16>(Warp &, uint32_t);
template bool SharedMemory::writeAll<32>(Warp &, uint32_t);

void SharedMemory::atomic(Warp &w, const Instr &in, uint32_t at, uint32_t size, unsigned lane, bool orders) {
  if (orders) acquire(w, at);
  const uint32_t mine = stamp(w, atomicBit), lanes = 1u << lane;
  eachWord(at, size, [&](uint32_t word, uint8_t bytes) {
    uint32_t &written = words_.written[word];
    const uint32_t read = words_.read[word], other = words_.readOther[word];
    if (!(written & atomicBit)) {
      if (!isBefore(w, written)) race(w, in, at, written, "atomic access", "write", lane);
      if (isOwn(w, written) && (words_.writtenBytes[word] & bytes))
        eachLaneEntry(word, bytes, [&](uint32_t entry) { checkWriter(w, in, at, entry, lanes, "atomic access"); });
    }
    if (!isBefore(w, read)) race(w, in, at, read, "atomic access", "read", lane);
    if (isOwn(w, read) && (words_.readBytes[word] & bytes))
      eachLaneEntry(word, bytes, [&](uint32_t entry) { checkReaders(w, in, at, entry, lanes, "atomic access"); });
    if (!isBefore(w, other)) race(w, in, at, other, "atomic access", "read", lane);
    eachLaneEntry(word, bytes, [&](uint32_t entry) {
      const bool same = (written & atomicBit) && isOwn(w, written) && lanes_.writer[entry] != lane;
      lanes_.writer[entry] = same ? several : static_cast<uint8_t>(lane);
      lanes_.writtenAt[entry] = w.accesses;
    });
    written = mine;
    words_.writtenBytes[word] = bytes;
  });
  if (orders) release(w, at);
}

void SharedMemory::acquire(Warp &w, uint32_t at) {
  w.orderLanes(allLanes); // lanes may wait for each other through it
  auto found = released_.find(at);
  if (found == released_.end()) return;
  for (size_t i = 0; i < 32; ++i) w.clock[i] = std::max(w.clock[i], found->second[i]);
}

void SharedMemory::release(Warp &w, uint32_t at) {
  w.orderLanes(allLanes);
  auto [entry, isNew] = released_.try_emplace(at, w.clock);
  if (!isNew)
    for (size_t i = 0; i < 32; ++i) entry->second[i] = std::max(entry->second[i], w.clock[i]);
  ++w.clock[w.index];
}

} // namespace cudasim
