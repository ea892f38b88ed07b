#include "FmaPeak.h"

#include <algorithm>
#include <chrono>

namespace tensorjit::bench {

// The fastest of many short runs: on a shared machine a long one measures the neighbours.
template <class Vector> static double run(double seconds) {
  using Clock = std::chrono::steady_clock;
  constexpr int registers = 12, rounds = 5000;
  Vector sums[registers] = {}, factor = {}, term = {};
  auto start = Clock::now();
  double elapsed = 0, fastest = 1e30;
  while (elapsed < seconds) {
    auto runStart = Clock::now();
    for (int i = 0; i < rounds; ++i)
      for (Vector &sum : sums) {
        sum = sum * factor + term;
        // Keeps the compiler from finding the fixed point.
        asm volatile("" : "+v"(sum));
      }
    auto runEnd = Clock::now();
    fastest = std::min(fastest, std::chrono::duration<double>(runEnd - runStart).count());
    elapsed = std::chrono::duration<double>(runEnd - start).count();
  }
  return rounds * registers * 2.0 * (sizeof(Vector) / sizeof(float)) / fastest * 1e-9;
}

#if defined(__x86_64__)
typedef float Wide __attribute__((vector_size(64)));
typedef float Half __attribute__((vector_size(32)));
__attribute__((target("avx512f,fma"), optimize("fp-contract=fast"), flatten)) static double runWide(double seconds) {
  return run<Wide>(seconds);
}
__attribute__((target("avx2,fma"), optimize("fp-contract=fast"), flatten)) static double runHalf(double seconds) {
  return run<Half>(seconds);
}

double measureFmaPeak(double seconds) {
  if (__builtin_cpu_supports("avx512f")) return runWide(seconds);
  if (__builtin_cpu_supports("fma")) return runHalf(seconds);
  typedef float Vector __attribute__((vector_size(16)));
  return run<Vector>(seconds);
}
#else
double measureFmaPeak(double seconds) {
  typedef float Vector __attribute__((vector_size(16)));
  return run<Vector>(seconds);
}
#endif

} // namespace tensorjit::bench
