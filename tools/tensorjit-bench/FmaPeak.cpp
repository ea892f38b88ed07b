#include "FmaPeak.h"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

namespace tensorjit::bench {
namespace {

constexpr int accumulators = 12; // more than latency times ports (4 x 2)

// Written in assembly: what a compiler makes of the same loop in intrinsics depends on its flags. Zeros stay zeros, so
// nothing overflows or turns denormal.
#define FMA(n, r) "vfmadd213ps %%" r "13, %%" r "12, %%" r #n "\n"
#define FMAS(r)                                                                                                        \
  FMA(0, r)                                                                                                            \
  FMA(1, r) FMA(2, r) FMA(3, r) FMA(4, r) FMA(5, r) FMA(6, r) FMA(7, r) FMA(8, r) FMA(9, r) FMA(10, r) FMA(11, r)
#define REGISTERS                                                                                                      \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13"

void loop512(long rounds) {
  asm volatile("vzeroall" ::: REGISTERS);
  for (long r = 0; r < rounds; ++r) asm volatile(FMAS("zmm")::: REGISTERS);
  asm volatile("vzeroupper");
}

void loop256(long rounds) {
  asm volatile("vzeroall" ::: REGISTERS);
  for (long r = 0; r < rounds; ++r) asm volatile(FMAS("ymm")::: REGISTERS);
  asm volatile("vzeroupper");
}

} // namespace

double fmaPeak(int threads) {
  const bool wide = __builtin_cpu_supports("avx512f");
  const int lanes = (wide ? 16 : 8) * accumulators;
  constexpr long rounds = 200'000; // short runs: the fastest of them met no neighbour on the machine
  std::vector<double> best(threads, 0);
  std::barrier start(threads);
  std::vector<std::thread> pool;
  for (int t = 0; t < threads; ++t)
    pool.emplace_back([&, t] {
      start.arrive_and_wait();
      for (int repeat = 0; repeat < 60; ++repeat) {
        auto begin = std::chrono::steady_clock::now();
        wide ? loop512(rounds) : loop256(rounds);
        std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        best[t] = std::max(best[t], 2.0 * lanes * static_cast<double>(rounds) / took.count());
      }
    });
  for (auto &thread : pool) thread.join();
  return std::accumulate(best.begin(), best.end(), 0.0);
}

} // namespace tensorjit::bench
