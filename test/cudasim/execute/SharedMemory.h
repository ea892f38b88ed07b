#pragma once
#include "execute/Warp.h"

#include <cstdint>
#include <map>
#include <vector>

namespace cudasim {

/// Shared memory of one block: its bytes, which of them hold a value, and who touched each word last. Two accesses of
/// different warps, one of them a write, race unless a barrier (or an atomic both took part in) lies between them;
/// "between" is kept as vector clocks (FastTrack, Flanagan and Freund 2009).
class SharedMemory {
public:
  explicit SharedMemory(uint32_t size);

  uint32_t size() const { return static_cast<uint32_t>(bytes_.size()); }
  std::byte *data(uint32_t at) { return bytes_.data() + at; }
  enum State : uint8_t { Unwritten = 0, Pending = 1, Written = 3 };
  uint8_t *state(uint32_t at) { return states_.data() + at; }

  void read(Warp &w, const Instr &in, uint32_t at, uint32_t size, unsigned lane) {
    uint32_t mine = w.clock[w.index] << 6 | w.index;
    eachWord(at, size, [&](Word &word, uint8_t bytes) {
      if (word.read == mine && isBefore(w, word.written)) word.readBytes |= bytes;
      else readWord(w, in, word, bytes, at, lane);
    });
  }
  void write(Warp &w, const Instr &in, uint32_t at, uint32_t size, unsigned lane) {
    uint32_t mine = w.clock[w.index] << 6 | w.index;
    eachWord(at, size, [&](Word &word, uint8_t bytes) {
      if (word.written == mine && isBefore(w, word.read) && isBefore(w, word.readOther)) word.writtenBytes |= bytes;
      else writeWord(w, in, word, bytes, at, lane);
    });
  }
  void atomic(Warp &w, const Instr &in, uint32_t at, uint32_t size, unsigned lane, bool orders);
  /// A strong access (volatile, relaxed) that other warps may wait for.
  void acquire(Warp &w, uint32_t at);
  void release(Warp &w, uint32_t at);

private:
  /// clock << 6 | atomic << 5 | warp; 0: none.
  struct Word {
    uint32_t written = 0, read = 0, readOther = 0;
    uint8_t writtenBytes = 0, readBytes = 0, otherBytes = 0;
  };
  /// Whether what `stamp` marks has happened before everything that `w` does now.
  static bool isBefore(const Warp &w, uint32_t stamp) {
    uint32_t warp = stamp & 31;
    return warp == w.index || stamp >> 6 <= w.clock[warp];
  }
  template <class F> void eachWord(uint32_t at, uint32_t size, F f) {
    if (size == 4) return f(words_[at >> 2], uint8_t(15));
    uint8_t bytes = size < 4 ? static_cast<uint8_t>(((1u << size) - 1) << (at & 3)) : uint8_t(15);
    for (uint32_t word = at >> 2; word <= (at + size - 1) >> 2; ++word) f(words_[word], bytes);
  }
  void readWord(Warp &w, const Instr &in, Word &word, uint8_t bytes, uint32_t at, unsigned lane);
  void writeWord(Warp &w, const Instr &in, Word &word, uint8_t bytes, uint32_t at, unsigned lane);
  [[noreturn]] void race(Warp &w, const Instr &in, uint32_t at, uint32_t other, const char *now, const char *before,
                         unsigned lane);

  std::vector<std::byte> bytes_;
  std::vector<uint8_t> states_;
  std::vector<Word> words_;
  std::map<uint32_t, std::array<uint32_t, 32>> released_;
};

} // namespace cudasim
