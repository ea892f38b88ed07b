// Planted bugs: the stand-in finds each, says where, and makes it the context's sticky error.
#include "Device.h"

#include <cstdlib>
#include <unistd.h>

namespace {

const std::string reportPath = "/tmp/cudasim-findings-" + std::to_string(getpid()) + ".txt";
const bool environmentIsSet = [] {
  setenv("CUDASIM_REPORT", reportPath.c_str(), 1);
  setenv("CUDASIM_INSTRUCTION_LIMIT", "2000000", 1);
  return true;
}();

class Findings : public Device {
protected:
  void SetUp() override {
    if (!isStandIn()) GTEST_SKIP() << "a real driver does not look for bugs";
    Device::SetUp();
    std::remove(reportPath.c_str());
  }
  void TearDown() override {
    if (isStandIn()) Device::TearDown();
    std::remove(reportPath.c_str());
  }
  std::string report() {
    std::ifstream file(reportPath);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  /// The error of the launch, and the report's words.
  template <class... A>
  void expectFinding(const std::string &cuda, CUresult error, std::initializer_list<const char *> words,
                     unsigned threads, A... arguments) {
    CUfunction f = compile("extern \"C\" __global__ void k" + cuda, "k");
    ASSERT_EQ(run(f, {1}, {threads}, 0, arguments...), error) << report();
    std::string text = report();
    EXPECT_NE(text.find("kernel 'k'"), std::string::npos) << text;
    EXPECT_NE(text.find("PTX line"), std::string::npos) << text;
    for (const char *word : words) EXPECT_NE(text.find(word), std::string::npos) << word << " in:\n" << text;
  }
};

TEST_F(Findings, StoreOneElementBeyondTheEnd) {
  CUdeviceptr p = allocate(100 * 4);
  expectFinding(
      "(float *p) { p[threadIdx.x] = 1; }", CUDA_ERROR_ILLEGAL_ADDRESS,
      {"out of bounds", "0 bytes past the end of an allocation of 400 bytes", "source line 1", "thread (100, 0, 0)"},
      128, p);
}

TEST_F(Findings, LoadFromFreedMemory) {
  CUdeviceptr p = upload(std::vector<float>(64, 1.f)), q = allocate(256);
  ASSERT_EQ(cuMemFree(p), CUDA_SUCCESS);
  expectFinding("(float *p, float *q) { q[threadIdx.x] = p[threadIdx.x]; }", CUDA_ERROR_ILLEGAL_ADDRESS, {"freed"}, 32,
                p, q);
}

TEST_F(Findings, MisalignedVectorLoad) {
  CUdeviceptr p = upload(std::vector<float>(64, 1.f)), q = allocate(1024);
  expectFinding("(float *p, float4 *q) { q[threadIdx.x] = *(float4 *)(p + 1 + threadIdx.x * 4); }",
                CUDA_ERROR_MISALIGNED_ADDRESS, {"misaligned", "load of 16 bytes"}, 8, p, q);
}

TEST_F(Findings, MisalignedStoreToSharedMemory) {
  CUdeviceptr q = allocate(256);
  expectFinding("(float *q, int n) { __shared__ __align__(16) float s[64]; *(float2 *)(s + n) = {1, 2}; q[0] = s[n]; }",
                CUDA_ERROR_MISALIGNED_ADDRESS, {"misaligned", "store of 8 bytes", "shared memory"}, 1, q, 3);
}

TEST_F(Findings, MisalignedAccessOfAllLanes) {
  CUdeviceptr p = upload(std::vector<char>(1024, 1)), q = allocate(256);
  expectFinding("(char *p, float *q) { q[threadIdx.x] = *(float *)(p + 2 + threadIdx.x * 4); }",
                CUDA_ERROR_MISALIGNED_ADDRESS, {"misaligned", "load of 4 bytes"}, 32, p, q);
}

TEST_F(Findings, MisalignedAccessToLocalMemory) {
  CUdeviceptr q = allocate(256);
  expectFinding("(int *q, int n) { int a[8]; for (int i = 0; i < 8; ++i) a[i] = n + i; q[0] = *(int *)((char *)a + n); "
                "q[1] = a[(n + 5) & 7]; }",
                CUDA_ERROR_MISALIGNED_ADDRESS, {"misaligned", "local memory"}, 1, q, 6);
}

TEST_F(Findings, MisalignedAtomic) {
  CUdeviceptr p = upload(std::vector<int>(8, 1));
  expectFinding("(char *p, int n) { atomicAdd((int *)(p + n), 1); }", CUDA_ERROR_MISALIGNED_ADDRESS,
                {"misaligned", "atomic access"}, 1, p, 2);
}

TEST_F(Findings, ReadOfUninitialisedGlobalMemory) {
  CUdeviceptr p = allocate(256), q = allocate(256);
  ASSERT_EQ(cuMemsetD8(p, 0, 255), CUDA_SUCCESS); // all but the last byte
  expectFinding("(float *p, float *q) { q[threadIdx.x] = p[threadIdx.x]; }", CUDA_ERROR_LAUNCH_FAILED,
                {"uninitialised", "at byte 252", "thread (63, 0, 0)"}, 64, p, q);
}

TEST_F(Findings, ReadOfUninitialisedSharedMemory) {
  CUdeviceptr q = allocate(256);
  expectFinding("(int *q) { __shared__ int s[64]; if (threadIdx.x != 7) s[threadIdx.x] = 1; __syncthreads(); "
                "q[threadIdx.x] = s[63 - threadIdx.x]; }",
                CUDA_ERROR_LAUNCH_FAILED, {"uninitialised", "shared memory"}, 64, q);
}

TEST_F(Findings, ReadOfUninitialisedLocalMemory) {
  CUdeviceptr q = allocate(256);
  expectFinding("(int *q, int n) { int a[8]; for (int i = 0; i < n; ++i) a[i] = q != 0; q[threadIdx.x] = "
                "a[(threadIdx.x + 5) & 7]; }",
                CUDA_ERROR_LAUNCH_FAILED, {"uninitialised", "local memory"}, 32, q, 5);
}

TEST_F(Findings, AccessBeyondSharedMemory) {
  CUdeviceptr q = allocate(256);
  expectFinding("(int *q, int n) { __shared__ int s[32]; s[threadIdx.x + n] = 1; __syncthreads(); q[threadIdx.x] = "
                "s[threadIdx.x + n]; }",
                CUDA_ERROR_ILLEGAL_ADDRESS, {"out of bounds", "shared memory"}, 32, q, 1);
}

TEST_F(Findings, RaceBetweenWarpsWithoutABarrier) {
  CUdeviceptr q = allocate(256);
  expectFinding("(int *q) { __shared__ int s[64]; s[threadIdx.x] = 0; __syncthreads(); s[threadIdx.x] = threadIdx.x; "
                "q[threadIdx.x] = s[threadIdx.x & 31]; }",
                CUDA_ERROR_LAUNCH_FAILED, {"race", "shared byte"}, 64, q);
}

TEST_F(Findings, BufferIsWrittenAgainBeforeAllHaveRead) {
  CUdeviceptr q = allocate(256);
  expectFinding(R"((int *q) { __shared__ int s[64]; int sum = 0;
    for (int i = 0; i < 4; ++i) { s[threadIdx.x] = i; __syncthreads(); sum += s[63 - threadIdx.x]; }
    q[threadIdx.x] = sum; })",
                CUDA_ERROR_LAUNCH_FAILED, {"race"}, 64, q);
}

// Lanes of one warp run together here, as they often do on a device; nothing promises it.

TEST_F(Findings, LaneReadsWhatAnotherLaneWrote) {
  CUdeviceptr q = allocate(128);
  expectFinding("(int *q) { __shared__ int s[32]; s[threadIdx.x] = threadIdx.x; q[threadIdx.x] = s[threadIdx.x ^ 1]; }",
                CUDA_ERROR_LAUNCH_FAILED, {"race", "read of shared byte", "write by lane", "__syncwarp()"}, 32, q);
}

TEST_F(Findings, ShuffleOrdersNoMemory) {
  CUdeviceptr q = allocate(128);
  expectFinding(
      "(int *q) { __shared__ int s[32]; s[threadIdx.x] = threadIdx.x; int v = __shfl_xor_sync(~0u, threadIdx.x, "
      "1); q[threadIdx.x] = v + s[31 - threadIdx.x]; }",
      CUDA_ERROR_LAUNCH_FAILED, {"race", "__syncwarp()"}, 32, q);
}

TEST_F(Findings, LaneWritesWhatAllLanesRead) {
  CUdeviceptr q = allocate(128);
  expectFinding("(int *q) { __shared__ int s[1]; if (!threadIdx.x) s[0] = 1; __syncwarp(); int v = s[0]; "
                "if (!threadIdx.x) s[0] = v + 1; q[threadIdx.x] = v; }",
                CUDA_ERROR_LAUNCH_FAILED, {"race", "write of shared byte", "read by lane 1", "__syncwarp()"}, 32, q);
}

TEST_F(Findings, LaneWritesWhatSomeLanesRead) {
  CUdeviceptr q = allocate(128);
  expectFinding("(int *q) { __shared__ int s[32]; s[threadIdx.x] = 1; __syncwarp(); int v = s[threadIdx.x / 2]; "
                "if (threadIdx.x == 3) s[1] = 5; q[threadIdx.x] = v; }",
                CUDA_ERROR_LAUNCH_FAILED, {"race", "read by lane 2", "__syncwarp()"}, 32, q);
}

TEST_F(Findings, LanesSwapInPlace) {
  CUdeviceptr q = allocate(128);
  expectFinding("(int *q) { __shared__ int4 s[32]; s[threadIdx.x] = {1, 2, 3, 4}; __syncwarp(); int4 v = s[31 - "
                "threadIdx.x]; s[threadIdx.x] = v; __syncwarp(); q[threadIdx.x] = s[threadIdx.x].x; }",
                CUDA_ERROR_LAUNCH_FAILED, {"race", "write of shared byte", "read by lane", "__syncwarp()"}, 32, q);
}

TEST_F(Findings, LanesOfTwoGroupsThatSynchronisedApart) {
  CUdeviceptr q = allocate(128);
  expectFinding(R"((int *q) { __shared__ int s[32]; s[threadIdx.x] = threadIdx.x;
    unsigned half = threadIdx.x < 16 ? 0xffffu : 0xffff0000u;
    if (threadIdx.x < 16) __syncwarp(half); else __syncwarp(half);
    q[threadIdx.x] = s[threadIdx.x ^ 16]; })",
                CUDA_ERROR_LAUNCH_FAILED, {"race", "__syncwarp()"}, 32, q);
}

TEST_F(Findings, LaneReadsAHalfThatAnotherLaneWrote) {
  CUdeviceptr q = allocate(128);
  expectFinding(
      "(short *q) { __shared__ short s[32]; s[threadIdx.x] = threadIdx.x; q[threadIdx.x] = s[threadIdx.x ^ 1]; }",
      CUDA_ERROR_LAUNCH_FAILED, {"race", "write by lane", "__syncwarp()"}, 32, q);
}

TEST_F(Findings, AtomicOnWhatAnotherLaneClears) {
  CUdeviceptr q = allocate(128);
  expectFinding("(int *q) { __shared__ int s[32]; s[threadIdx.x] = 0; atomicAdd(&s[threadIdx.x / 2], 1); __syncwarp(); "
                "q[threadIdx.x] = s[threadIdx.x]; }",
                CUDA_ERROR_LAUNCH_FAILED, {"race", "atomic access", "write by lane"}, 32, q);
}

TEST_F(Findings, BarrierInDivergentCode) {
  CUdeviceptr q = upload(std::vector<int>(64, 1));
  expectFinding("(int *q) { if (threadIdx.x % 32 < 16) { q[threadIdx.x] += 1; __syncthreads(); q[threadIdx.x] *= 2; } "
                "q[threadIdx.x] += 3; }",
                CUDA_ERROR_LAUNCH_FAILED, {"barrier in divergent code"}, 64, q);
}

TEST_F(Findings, WarpsWaitAtDifferentBarriers) {
  CUdeviceptr q = upload(std::vector<int>(64, 1));
  expectFinding(
      R"((int *q) { if (threadIdx.x < 32) { q[threadIdx.x] += 1; asm volatile("bar.sync 0;" ::: "memory"); q[threadIdx.x] += 4; }
    else { q[threadIdx.x] *= 2; asm volatile("bar.sync 0;" ::: "memory"); q[threadIdx.x] *= 3; } })",
      CUDA_ERROR_LAUNCH_FAILED, {"different barrier"}, 64, q);
}

TEST_F(Findings, BarrierThatTooFewWarpsReach) {
  CUdeviceptr q = upload(std::vector<int>(64, 1));
  expectFinding(
      R"((int *q) { if (threadIdx.x < 32) { asm volatile("bar.sync 1, 64;" ::: "memory"); q[threadIdx.x] += 1; } })",
      CUDA_ERROR_LAUNCH_FAILED, {"deadlock", "barrier 1"}, 64, q);
}

TEST_F(Findings, ShuffleThatSomeLanesOfTheMaskNeverReach) {
  CUdeviceptr q = upload(std::vector<int>(32, 1));
  expectFinding("(int *q) { int v = q[threadIdx.x]; if (threadIdx.x < 16) v = __shfl_xor_sync(~0u, v, 1); "
                "__syncwarp(); q[threadIdx.x] = v; }",
                CUDA_ERROR_LAUNCH_FAILED, {"never come"}, 32, q);
}

TEST_F(Findings, LoopWithoutEnd) {
  CUdeviceptr q = upload(std::vector<int>(32, 1));
  expectFinding("(volatile int *q) { while (q[0]) {} }", CUDA_ERROR_LAUNCH_TIMEOUT,
                {"endless loop", "CUDASIM_INSTRUCTION_LIMIT"}, 32, q);
}

TEST_F(Findings, AsynchronousCopyReadBeforeItsWait) {
  CUdeviceptr p = upload(std::vector<int>(128, 5)), q = allocate(128);
  expectFinding(R"((int *p, int *q) { __shared__ __align__(16) int s[128];
    unsigned to = (unsigned)__cvta_generic_to_shared(s + threadIdx.x * 4);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n cp.async.commit_group;" :: "r"(to), "l"(p + threadIdx.x * 4) : "memory");
    q[threadIdx.x] = s[threadIdx.x * 4];
    asm volatile("cp.async.wait_all;" ::: "memory"); })",
                CUDA_ERROR_LAUNCH_FAILED, {"asynchronous copy"}, 32, p, q);
}

TEST_F(Findings, FailedAssertion) {
  CUdeviceptr q = upload(std::vector<int>(32, 1));
  expectFinding("(int *q) { assert(q[threadIdx.x] == 2); q[0] = 1; }", CUDA_ERROR_ASSERT,
                {"q[threadIdx.x] == 2", "kernel.cu"}, 32, q);
}

TEST_F(Findings, TheErrorStaysUntilTheContextIsGone) {
  CUdeviceptr p = allocate(16);
  CUfunction f = compile("extern \"C\" __global__ void k(int *p) { p[threadIdx.x] = 1; }", "k");
  void *parameters[] = {&p};
  // The launch itself succeeds: nobody has waited yet.
  ASSERT_EQ(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  CUdeviceptr other;
  EXPECT_EQ(cuMemAlloc(&other, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  ASSERT_EQ(cuCtxDestroy(context_), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxCreate(&context_, nullptr, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAlloc(&other, 4), CUDA_SUCCESS);
}

} // namespace
