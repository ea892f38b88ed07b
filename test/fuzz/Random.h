#pragma once
#include <cstddef>
#include <cstdint>

namespace tensorjit::fuzz {

/// Numbers that depend on the seed alone, on every machine (SplitMix64; Steele, Lea, Flood, 2014).
class Random {
public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  /// In [0, n); 0 for n = 0.
  int64_t below(int64_t n) { return n > 0 ? static_cast<int64_t>(next() % static_cast<uint64_t>(n)) : 0; }
  double real(double lo, double hi) { return lo + (hi - lo) * (static_cast<double>(next() >> 11) * 0x1p-53); }
  bool chance(double p) { return real(0, 1) < p; }
  template <class T, size_t n> const T &pick(const T (&list)[n]) { return list[below(static_cast<int64_t>(n))]; }

private:
  uint64_t state_;
};

} // namespace tensorjit::fuzz
