// Whole kernels from CUDA C++, compared with the host's results.
#include "Device.h"

#include <cmath>
#include <random>

namespace {

std::vector<float> randomFloats(size_t count, unsigned seed = 1) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> values(-1, 1);
  std::vector<float> out(count);
  for (float &v : out) v = values(engine);
  return out;
}

using Kernels = Device;

TEST_F(Kernels, AddsVectorsWithATail) {
  CUfunction f = compile(R"(extern "C" __global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
  })",
                         "add");
  const int n = 1000;
  auto a = randomFloats(n), b = randomFloats(n, 2);
  CUdeviceptr pa = upload(a), pb = upload(b), pc = allocate(n * 4);
  ASSERT_EQ(run(f, {8}, {128}, 0, pa, pb, pc, n), CUDA_SUCCESS);
  auto c = download<float>(pc, n);
  for (int i = 0; i < n; ++i) ASSERT_EQ(c[i], a[i] + b[i]) << i;
}

TEST_F(Kernels, SumsABlockThroughSharedMemoryAndShuffles) {
  CUfunction f = compile(R"(extern "C" __global__ void sum(const int *x, int *y, int n) {
    __shared__ int part[8];
    int s = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) s += x[blockIdx.x * n + i];
    for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) { for (int w = 1; w < 8; ++w) s += part[w]; y[blockIdx.x] = s; }
  })",
                         "sum");
  const int rows = 37, n = 1003;
  std::vector<int> x(rows * n), expected(rows, 0);
  for (int i = 0; i < rows * n; ++i) expected[i / n] += x[i] = i * 7919 % 1013 - 500;
  CUdeviceptr px = upload(x), py = allocate(rows * 4);
  ASSERT_EQ(run(f, {rows}, {256}, 0, px, py, n), CUDA_SUCCESS);
  EXPECT_EQ(download<int>(py, rows), expected);
}

TEST_F(Kernels, MultipliesTiledMatrices) {
  CUfunction f = compile(R"(extern "C" __global__ void gemm(const float *a, const float *b, float *c, int n) {
    __shared__ float ta[16][16], tb[16][17];
    int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    float s = 0;
    for (int k = 0; k < n; k += 16) {
      ta[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
      tb[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
      __syncthreads();
      for (int i = 0; i < 16; ++i) s = fmaf(ta[threadIdx.y][i], tb[i][threadIdx.x], s);
      __syncthreads();
    }
    c[row * n + column] = s;
  })",
                         "gemm");
  const int n = 64;
  auto a = randomFloats(n * n), b = randomFloats(n * n, 2);
  CUdeviceptr pa = upload(a), pb = upload(b), pc = allocate(n * n * 4);
  ASSERT_EQ(run(f, {4, 4}, {16, 16}, 0, pa, pb, pc, n), CUDA_SUCCESS);
  auto c = download<float>(pc, n * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      float s = 0;
      for (int k = 0; k < n; ++k) s = std::fma(a[i * n + k], b[k * n + j], s);
      ASSERT_EQ(c[i * n + j], s) << i << " " << j; // the same order of the same operations
    }
}

TEST_F(Kernels, CallsFunctionsDirectlyRecursivelyAndByPointer) {
  CUfunction f = compile(R"(
    struct Pair { int a; double b; float c[4]; };
    __device__ __noinline__ Pair change(Pair p, int i) { p.c[i & 3] += 1; p.b *= 2; p.a -= i; return p; }
    __device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
    __device__ __noinline__ float twice(float x) { return 2 * x; }
    __device__ __noinline__ float square(float x) { return x * x; }
    typedef float (*Function)(float);
    __device__ Function table[2] = {twice, square};
    __constant__ float offsets[4] = {10, 20, 30, 40};
    extern "C" __global__ void k(float *out, Pair p) {
      int t = threadIdx.x;
      Pair q = change(p, t);
      float local[8];
      for (int i = 0; i < 8; ++i) local[i] = t * i;
      out[t] = q.c[t & 3] + (float)q.b + q.a + fib(t % 9) + table[t & 1](t) + offsets[t & 3] + local[t & 7];
    })",
                         "k");
  struct Pair {
    int a;
    double b;
    float c[4];
  } p = {5, 1.5, {1, 2, 3, 4}};
  CUdeviceptr out = allocate(64 * 4);
  ASSERT_EQ(run(f, {1}, {64}, 0, out, p), CUDA_SUCCESS);
  auto values = download<float>(out, 64);
  int fib[9] = {0, 1, 1, 2, 3, 5, 8, 13, 21};
  for (int t = 0; t < 64; ++t) {
    float expected =
        (p.c[t & 3] + 1) + 3.0f + (5 - t) + fib[t % 9] + (t & 1 ? t * t : 2 * t) + 10 * (1 + (t & 3)) + t * (t & 7);
    ASSERT_EQ(values[t], expected) << t;
  }
}

TEST_F(Kernels, CountsWithAtomicsInSharedAndGlobalMemory) {
  CUfunction f = compile(R"(extern "C" __global__ void histogram(const unsigned char *x, unsigned *h, int n) {
    __shared__ unsigned s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&s[x[i]], 1u);
    __syncthreads();
    if (s[threadIdx.x]) atomicAdd(h + threadIdx.x, s[threadIdx.x]);
  })",
                         "histogram");
  const int n = 10007;
  std::vector<unsigned char> x(n);
  std::vector<unsigned> expected(256, 0);
  for (int i = 0; i < n; ++i) ++expected[x[i] = static_cast<unsigned char>(i * i % 251)];
  CUdeviceptr px = upload(x), ph = upload(std::vector<unsigned>(256, 0));
  ASSERT_EQ(run(f, {5}, {256}, 0, px, ph, n), CUDA_SUCCESS);
  EXPECT_EQ(download<unsigned>(ph, 256), expected);
}

TEST_F(Kernels, WaitsForOtherBlocksAndLocks) {
  CUfunction f = compile(R"(extern "C" __global__ void ticket(int *turn, int *lock, int *order, int *guarded) {
    // Every block waits for the one before it, though blocks begin in any order.
    if (threadIdx.x == 0) {
      while (atomicAdd(turn, 0) != (int)blockIdx.x) {}
      order[blockIdx.x] = *(volatile int *)turn;
      __threadfence();
      atomicAdd(turn, 1);
    }
    // Every lane takes a lock in turn: lanes that spin must not keep the holder from going on.
    while (atomicCAS(lock, 0, 1) != 0) {}
    *(volatile int *)guarded += 1;
    __threadfence();
    atomicExch(lock, 0);
  })",
                         "ticket");
  const int blocks = 40;
  CUdeviceptr turn = upload(std::vector<int>{0}), lock = upload(std::vector<int>{0}),
              guarded = upload(std::vector<int>{0});
  CUdeviceptr order = allocate(blocks * 4);
  ASSERT_EQ(run(f, {blocks}, {32}, 0, turn, lock, order, guarded), CUDA_SUCCESS);
  auto got = download<int>(order, blocks);
  for (int i = 0; i < blocks; ++i) EXPECT_EQ(got[i], i);
  EXPECT_EQ(download<int>(guarded, 1)[0], blocks * 32);
}

TEST_F(Kernels, RunsDivergentLoopsBreaksAndEarlyExits) {
  CUfunction f = compile(R"(extern "C" __global__ void collatz(const int *x, int *steps, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = x[i], s = 0;
    while (v != 1) {
      if (s == 100) break;
      if (v % 2) { v = 3 * v + 1; } else { v /= 2; }
      ++s;
      switch (v & 7) { case 0: s += 0; break; case 5: continue; default: break; }
    }
    __syncthreads();
    steps[i] = s;
  })",
                         "collatz");
  const int n = 500;
  std::vector<int> x(n), expected(n);
  for (int i = 0; i < n; ++i) {
    int v = x[i] = i + 1, s = 0;
    for (; v != 1 && s != 100; ++s) v = v % 2 ? 3 * v + 1 : v / 2;
    expected[i] = s;
  }
  CUdeviceptr px = upload(x), ps = allocate(n * 4);
  ASSERT_EQ(run(f, {4}, {128}, 0, px, ps, n), CUDA_SUCCESS);
  EXPECT_EQ(download<int>(ps, n), expected);
}

TEST_F(Kernels, VotesMatchesAndReducesInAWarp) {
  CUfunction f = compile(R"(extern "C" __global__ void warp(const int *x, unsigned *y) {
    int v = x[threadIdx.x];
    unsigned ballot = __ballot_sync(~0u, v > 0);
    y[threadIdx.x] = ballot;
    y[32 + threadIdx.x] = __match_any_sync(~0u, v);
    y[64 + threadIdx.x] = __reduce_add_sync(~0u, (unsigned)v);
    y[96 + threadIdx.x] = (unsigned)__reduce_max_sync(~0u, v);
    y[128 + threadIdx.x] = __shfl_up_sync(~0u, v, 3);
    y[160 + threadIdx.x] = __shfl_sync(~0u, v, 5, 8);
    if (threadIdx.x & 1) y[192 + threadIdx.x] = __ballot_sync(0xaaaaaaaau, v > 0);
    else y[192 + threadIdx.x] = __shfl_xor_sync(0x55555555u, v, 2);
    y[224 + threadIdx.x] = __syncthreads_count(v > 0) + 100 * __syncthreads_or(v == 3) + 1000 * __syncthreads_and(v < 100);
  })",
                         "warp");
  std::vector<int> x(32);
  unsigned ballot = 0, sum = 0;
  for (int i = 0; i < 32; ++i) {
    x[i] = i * 5 % 7 - 3;
    ballot |= x[i] > 0 ? 1u << i : 0;
    sum += static_cast<unsigned>(x[i]);
  }
  CUdeviceptr px = upload(x), py = allocate(256 * 4);
  ASSERT_EQ(run(f, {1}, {32}, 0, px, py), CUDA_SUCCESS);
  auto y = download<unsigned>(py, 256);
  for (int i = 0; i < 32; ++i) {
    unsigned same = 0;
    for (int j = 0; j < 32; ++j) same |= x[j] == x[i] ? 1u << j : 0;
    EXPECT_EQ(y[i], ballot);
    EXPECT_EQ(y[32 + i], same);
    EXPECT_EQ(y[64 + i], sum);
    EXPECT_EQ(static_cast<int>(y[96 + i]), 3);
    EXPECT_EQ(static_cast<int>(y[128 + i]), x[i < 3 ? i : i - 3]);
    EXPECT_EQ(static_cast<int>(y[160 + i]), x[i / 8 * 8 + 5]);
    EXPECT_EQ(y[192 + i], i & 1 ? ballot & 0xaaaaaaaau : static_cast<unsigned>(x[i ^ 2])) << i;
    EXPECT_EQ(y[224 + i], static_cast<unsigned>(__builtin_popcount(ballot)) + 1100u);
  }
}

/// What the stand-in must not take for a race.
TEST_F(Kernels, LanesThatSynchroniseShareMemory) {
  CUfunction f = compile(R"(extern "C" __global__ void share(int *y) {
    __shared__ int words[32], one[1];
    __shared__ short halves[64];
    __shared__ unsigned char bytes[32];
    int t = threadIdx.x, sum = 0;
    unsigned half = t < 16 ? 0xffffu : 0xffff0000u;
    for (int round = 0; round < 3; ++round) {
      words[t] = t + round;
      halves[2 * t] = t; halves[2 * t + 1] = -t;
      bytes[t] = t;
      one[0] = round;                        // by all lanes at once
      __syncwarp();
      sum += words[31 - t] + halves[2 * (t ^ 1)] + bytes[t ^ 3] + one[0];
      words[t ^ 0] += 0 * sum;               // its own
      __syncwarp();
      if (t < 16) { words[t] = 1; __syncwarp(half); sum += words[15 - t]; __syncwarp(half); words[15 - t] = 2; }
      else { words[t] = 3; __syncwarp(half); sum += words[47 - t]; __syncwarp(half); words[47 - t] = 4; }
      __syncwarp();
      sum += words[31 - t];
      atomicAdd(&one[0], 1);
      atomicMax(&one[0], 2);
      __syncthreads();
      sum += one[0];
      __syncwarp();
      if (t == 5) one[0] = 0;
      __syncwarp();
    }
    y[t] = sum;
  })",
                         "share");
  CUdeviceptr y = allocate(32 * 4);
  ASSERT_EQ(run(f, {1}, {32}, 0, y), CUDA_SUCCESS);
  auto got = download<int>(y, 32);
  for (int t = 0; t < 32; ++t) {
    int sum = 0;
    for (int round = 0; round < 3; ++round) {
      sum += 31 - t + round + (t ^ 1) + (t ^ 3) + round; // words, halves, bytes, one
      sum += t < 16 ? 1 : 3;
      sum += t < 16 ? 4 : 2;
      sum += round + 32 < 2 ? 2 : round + 32;
    }
    EXPECT_EQ(got[t], sum) << t;
  }
}

} // namespace
