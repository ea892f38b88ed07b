#pragma once
#include <cstdint>
#include <vector>

namespace tensorjit::eager {

/// An element to sort: its key, and where it was. Equal keys are ordered by position, so that no two entries are equal.
struct Entry32 {
  uint64_t word; ///< key, then a position below 2^32
  Entry32() = default;
  Entry32(uint32_t key, int64_t at) : word(uint64_t(key) << 32 | static_cast<uint64_t>(at)) {}
  int64_t at() const { return static_cast<int64_t>(word & UINT32_MAX); }
  uint64_t digits() const { return word >> 32; }
  friend bool operator<(Entry32 a, Entry32 b) { return a.word < b.word; }
  static constexpr int keyBits = 32;
};
struct Entry64 {
  uint64_t key;
  int64_t position;
  Entry64() = default;
  Entry64(uint64_t k, int64_t at) : key(k), position(at) {}
  int64_t at() const { return position; }
  uint64_t digits() const { return key; }
  friend bool operator<(const Entry64 &a, const Entry64 &b) {
    return a.key != b.key ? a.key < b.key : a.position < b.position;
  }
  static constexpr int keyBits = 64;
};

/// Sorts entries that lie in the order of their positions; `spare` is memory that grows as needed. Long lists digit by
/// digit from the lowest on, which keeps equal ones in order; a digit that all share costs nothing.
template <class Entry> void sortEntries(std::vector<Entry> &entries, std::vector<Entry> &spare);

extern template void sortEntries(std::vector<Entry32> &, std::vector<Entry32> &);
extern template void sortEntries(std::vector<Entry64> &, std::vector<Entry64> &);

} // namespace tensorjit::eager
