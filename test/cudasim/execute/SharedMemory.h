#pragma once
#include "execute/Warp.h"

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace cudasim {

/// Shared memory of one block: its bytes, which of them hold a value, and who touched each word last. Two accesses of
/// different threads, one of them a write, race unless something orders them.
///
/// Between warps, a barrier (or an atomic both took part in) does; "between" is kept as vector clocks (FastTrack,
/// Flanagan and Freund 2009). Between lanes of one warp, a barrier or a warp-wide synchronisation does, and that lanes
/// run together does not: only the accesses of one instruction are no race.
class SharedMemory {
public:
  explicit SharedMemory(uint32_t size);

  uint32_t size() const { return size_; }
  std::byte *data(uint32_t at) { return bytes_.data() + at; }
  enum State : uint8_t { Unwritten = 0, Pending = 1, Written = 3 };
  uint8_t *state(uint32_t at) { return states_.data() + at; }

  /// By `lanes` at one place, of which `lane` is one.
  void read(Warp &w, const Instr &in, uint32_t at, uint32_t size, unsigned lane, uint32_t lanes);
  void write(Warp &w, const Instr &in, uint32_t at, uint32_t size, unsigned lane, uint32_t lanes);
  /// By all lanes, each at the `Size` bytes behind the one before, which are words. False: nothing has been noted,
  /// since something may be wrong.
  template <unsigned Size> bool readAll(Warp &w, uint32_t at);
  template <unsigned Size> bool writeAll(Warp &w, uint32_t at);
  void atomic(Warp &w, const Instr &in, uint32_t at, uint32_t size, unsigned lane, bool orders);
  /// A strong access (volatile, relaxed) that other warps may wait for.
  void acquire(Warp &w, uint32_t at);
  void release(Warp &w, uint32_t at);

private:
  // Of each word. Stamps are clock << 6 | atomic << 5 | warp; 0: none.
  struct Words {
    explicit Words(size_t n);
    std::vector<uint32_t> written, read, readOther;
    std::vector<uint8_t> writtenBytes, readBytes, otherBytes;
  };
  /// Of each word, or of each byte once a part of a word has been used: by which lanes of the warps in the stamps, and
  /// when in the order of that warp's accesses.
  struct Lanes {
    explicit Lanes(size_t n);
    std::vector<uint32_t> writtenAt, readAt, readers;
    std::vector<uint8_t> writer; ///< or `several`
  };
  static constexpr uint8_t several = 32;

  template <class F> void eachWord(uint32_t at, uint32_t size, F f);
  /// The entries of `lanes_` for bytes of a word.
  template <class F> void eachLaneEntry(uint32_t word, uint8_t bytes, F f);
  void splitWords();
  void checkWriter(Warp &w, const Instr &in, uint32_t at, uint32_t entry, uint32_t lanes, const char *now);
  void checkReaders(Warp &w, const Instr &in, uint32_t at, uint32_t entry, uint32_t lanes, const char *now);
  [[noreturn]] void race(Warp &w, const Instr &in, uint32_t at, uint32_t other, const char *now, const char *before,
                         unsigned lane);

  uint32_t size_;
  std::vector<std::byte> bytes_;
  std::vector<uint8_t> states_;
  Words words_;
  Lanes lanes_;
  bool isSplit_ = false;
  std::map<uint32_t, std::array<uint32_t, 32>> released_;
};

} // namespace cudasim
