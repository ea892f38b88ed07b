#include "FmaPeak.h"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <immintrin.h>
#include <thread>
#include <vector>

namespace tensorjit::bench {
namespace {

constexpr int accumulators = 16; // more than latency times ports (4 x 2), fewer than registers

// The empty asm keeps every round in its register. Each loop is spelled out: a function template cannot be inlined
// into code for another instruction set.
[[gnu::target("avx512f")]] float loop512(long rounds) {
  const __m512 factor = _mm512_set1_ps(0.999999f), term = _mm512_set1_ps(1e-7f);
  __m512 sum[accumulators];
  for (auto &s : sum) s = term;
  for (long r = 0; r < rounds; ++r) {
#pragma GCC unroll 16
    for (int i = 0; i < accumulators; ++i) {
      sum[i] = _mm512_fmadd_ps(sum[i], factor, term);
      asm volatile("" : "+v"(sum[i]));
    }
  }
  float total = 0;
  for (auto &s : sum) total += _mm512_cvtss_f32(s);
  return total;
}

[[gnu::target("avx2,fma")]] float loop256(long rounds) {
  const __m256 factor = _mm256_set1_ps(0.999999f), term = _mm256_set1_ps(1e-7f);
  __m256 sum[accumulators - 4];
  for (auto &s : sum) s = term;
  for (long r = 0; r < rounds; ++r) {
#pragma GCC unroll 16
    for (auto &s : sum) {
      s = _mm256_fmadd_ps(s, factor, term);
      asm volatile("" : "+x"(s));
    }
  }
  float total = 0;
  for (auto &s : sum) total += _mm256_cvtss_f32(s);
  return total;
}

} // namespace

double fmaPeak(int threads) {
  const bool wide = __builtin_cpu_supports("avx512f");
  const int lanes = wide ? 16 * accumulators : 8 * (accumulators - 4);
  constexpr long rounds = 200'000; // short runs: the fastest of them met no neighbour on the machine
  double best = 0;
  for (int repeat = 0; repeat < 60; ++repeat) {
    std::barrier start(threads + 1);
    std::vector<std::thread> pool;
    for (int t = 0; t < threads; ++t)
      pool.emplace_back([&] {
        start.arrive_and_wait();
        volatile float sink = wide ? loop512(rounds) : loop256(rounds);
        static_cast<void>(sink);
      });
    start.arrive_and_wait();
    auto begin = std::chrono::steady_clock::now();
    for (auto &thread : pool) thread.join();
    std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    best = std::max(best, 2.0 * lanes * static_cast<double>(rounds) * threads / took.count());
  }
  return best;
}

} // namespace tensorjit::bench
