#include "eager/RadixSort.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tensorjit::eager {

template <class Entry> void sortEntries(std::vector<Entry> &entries, std::vector<Entry> &spare) {
  constexpr size_t shortest = 512; // below, comparing is faster
  if (entries.size() < shortest) return std::sort(entries.begin(), entries.end());

  constexpr int digitBits = 11, digits = (Entry::keyBits + digitBits - 1) / digitBits;
  constexpr size_t values = size_t(1) << digitBits;
  auto digit = [](const Entry &e, int d) { return static_cast<size_t>(e.digits() >> (d * digitBits)) & (values - 1); };
  std::array<std::array<uint32_t, values>, digits> counts{};
  // Counts of 32 bits: longer lists compare.
  if (entries.size() > UINT32_MAX) return std::sort(entries.begin(), entries.end());
  for (const Entry &e : entries)
    for (int d = 0; d < digits; ++d) ++counts[static_cast<size_t>(d)][digit(e, d)];

  spare.resize(entries.size());
  for (int d = 0; d < digits; ++d) {
    auto &count = counts[static_cast<size_t>(d)];
    if (count[digit(entries[0], d)] == entries.size()) continue;
    uint32_t begin = 0;
    for (uint32_t &c : count) begin += std::exchange(c, begin);
    for (const Entry &e : entries) spare[count[digit(e, d)]++] = e;
    std::swap(entries, spare);
  }
}

template void sortEntries(std::vector<Entry32> &, std::vector<Entry32> &);
template void sortEntries(std::vector<Entry64> &, std::vector<Entry64> &);

} // namespace tensorjit::eager
