// The driver API: arguments, order of work, streams, events, graphs, memory, counters.
#include "Device.h"

#include <atomic>
#include <thread>

namespace {

const char *const addOne =
    R"(extern "C" __global__ void k(int *p, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] += 1; })";
const char *const copyInts =
    R"(extern "C" __global__ void k(const int *p, int *q, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) q[i] = p[i]; })";

using Driver = Device;

TEST(DriverStart, NothingWorksBeforeInit) {
  if (!isStandIn()) GTEST_SKIP() << "a real driver may be initialised already";
  // The first test of the program: cuInit has not run.
  int count;
  EXPECT_EQ(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(cuInit(1), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  CUdeviceptr p;
  EXPECT_EQ(cuMemAlloc(&p, 16), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuDeviceGet(&count, 99), CUDA_ERROR_INVALID_DEVICE);
}

TEST_F(Driver, RejectsBadArguments) {
  CUfunction f = compile(addOne, "k");
  CUdeviceptr p = allocate(64);
  int n = 16;
  void *parameters[] = {&p, &n};
  auto launch = [&](unsigned grid, unsigned block, unsigned shared = 0) {
    return cuLaunchKernel(f, grid, 1, 1, block, 1, 1, shared, nullptr, parameters, nullptr);
  };
  EXPECT_EQ(launch(0, 32), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(1, 1025), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(1, 32, 49153), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAlloc(nullptr, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAlloc(&p, 0), CUDA_ERROR_INVALID_VALUE);
  CUdeviceptr huge;
  EXPECT_EQ(cuMemAlloc(&huge, size_t(1) << 45), CUDA_ERROR_OUT_OF_MEMORY);
  p = allocate(64);
  int host[32];
  EXPECT_EQ(cuMemcpyHtoD(p, host, 65), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFree(p + 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFree(p), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
  CUmodule module;
  EXPECT_EQ(cuModuleLoadData(&module, "no PTX at all"), CUDA_ERROR_INVALID_IMAGE);
  ASSERT_EQ(cuFuncGetModule(&module, f), CUDA_SUCCESS);
  CUfunction other;
  EXPECT_EQ(cuModuleGetFunction(&other, module, "missing"), CUDA_ERROR_NOT_FOUND);
  const char *name = nullptr;
  EXPECT_EQ(cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &name), CUDA_SUCCESS);
  EXPECT_STREQ(name, "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_EQ(cuGetErrorName(static_cast<CUresult>(12345), &name), CUDA_ERROR_INVALID_VALUE);
  if (isStandIn()) {
    EXPECT_EQ(cuMemAllocManaged(&p, 16, CU_MEM_ATTACH_GLOBAL), CUDA_ERROR_NOT_SUPPORTED);
  }
}

TEST_F(Driver, GlobalsAndConstantsAreReachedByName) {
  CUfunction f = compile("__constant__ int scale = 3; __device__ int total[2] = {10, 20}; extern \"C\" __global__ void "
                         "k() { total[threadIdx.x] *= scale; }",
                         "k");
  CUmodule module;
  ASSERT_EQ(cuFuncGetModule(&module, f), CUDA_SUCCESS);
  CUdeviceptr total, scale;
  size_t bytes;
  ASSERT_EQ(cuModuleGetGlobal(&total, &bytes, module, "total"), CUDA_SUCCESS);
  EXPECT_EQ(bytes, 8u);
  ASSERT_EQ(cuModuleGetGlobal(&scale, nullptr, module, "scale"), CUDA_SUCCESS);
  int five = 5;
  ASSERT_EQ(cuMemcpyHtoD(scale, &five, 4), CUDA_SUCCESS);
  ASSERT_EQ(run(f, {1}, {2}, 0), CUDA_SUCCESS);
  EXPECT_EQ(download<int>(total, 2), (std::vector<int>{50, 100}));
}

TEST_F(Driver, HostMemoryIsOldUntilSomeoneWaits) {
  if (!isStandIn()) GTEST_SKIP() << "a device may be quick";
  int *pinned;
  ASSERT_EQ(cuMemAllocHost(reinterpret_cast<void **>(&pinned), 4096), CUDA_SUCCESS);
  CUstream stream;
  ASSERT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  CUdeviceptr p = upload(std::vector<int>(1024, 7));
  std::fill(pinned, pinned + 1024, 1);
  ASSERT_EQ(cuMemcpyDtoHAsync(pinned, p, 4096, stream), CUDA_SUCCESS);
  EXPECT_EQ(pinned[1023], 1);
  ASSERT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(pinned[1023], 7);
  // And a pinned buffer that is filled again too early gives the new values to the old copy.
  pinned[0] = 2;
  ASSERT_EQ(cuMemcpyHtoDAsync(p, pinned, 4096, stream), CUDA_SUCCESS);
  pinned[0] = 3;
  ASSERT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(download<int>(p, 1)[0], 3);
  // Pageable memory is taken at the call.
  std::vector<int> pageable(1024, 4);
  ASSERT_EQ(cuMemcpyHtoDAsync(p, pageable.data(), 4096, stream), CUDA_SUCCESS);
  pageable[0] = 5;
  ASSERT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(download<int>(p, 1)[0], 4);
  EXPECT_EQ(cuMemFreeHost(pinned), CUDA_SUCCESS);
}

/// A writes on one stream, B reads on another: the share of tries in which B saw all of A.
class TwoStreams : public Device {
protected:
  int seenOf(int tries, bool withEvent) {
    CUfunction add = compile(addOne, "k"), copy = compile(copyInts, "k");
    CUstream a, b;
    CUevent done;
    cuStreamCreate(&a, CU_STREAM_NON_BLOCKING);
    cuStreamCreate(&b, CU_STREAM_NON_BLOCKING);
    cuEventCreate(&done, CU_EVENT_DISABLE_TIMING);
    int n = 2048, seen = 0;
    CUdeviceptr q = allocate(n * 4);
    for (int i = 0; i < tries; ++i) {
      CUdeviceptr p = upload(std::vector<int>(n, 0));
      void *first[] = {&p, &n}, *second[] = {&p, &q, &n};
      EXPECT_EQ(cuLaunchKernel(add, 1, 1, 1, 64, 1, 1, 0, a, first, nullptr), CUDA_SUCCESS);
      if (withEvent) {
        EXPECT_EQ(cuEventRecord(done, a), CUDA_SUCCESS);
        EXPECT_EQ(cuStreamWaitEvent(b, done, 0), CUDA_SUCCESS);
      }
      EXPECT_EQ(cuLaunchKernel(copy, 32, 1, 1, 64, 1, 1, 0, b, second, nullptr), CUDA_SUCCESS);
      EXPECT_EQ(cuStreamSynchronize(b), CUDA_SUCCESS);
      auto got = download<int>(q, n);
      seen += got == std::vector<int>(n, 1);
      cuCtxSynchronize();
    }
    return seen;
  }
};

TEST_F(TwoStreams, AMissingEventShows) {
  if (!isStandIn()) GTEST_SKIP() << "a device may be lucky";
  EXPECT_LT(seenOf(20, false), 20);
}
TEST_F(TwoStreams, AnEventOrdersThem) { EXPECT_EQ(seenOf(20, true), 20); }

TEST_F(Driver, TheDefaultStreamWaitsForBlockingStreams) {
  CUfunction add = compile(addOne, "k"), copy = compile(copyInts, "k");
  CUstream blocking;
  ASSERT_EQ(cuStreamCreate(&blocking, CU_STREAM_DEFAULT), CUDA_SUCCESS);
  int n = 1024;
  for (int i = 0; i < 10; ++i) {
    CUdeviceptr p = upload(std::vector<int>(n, 0)), q = allocate(n * 4);
    void *first[] = {&p, &n}, *second[] = {&p, &q, &n};
    ASSERT_EQ(cuLaunchKernel(add, 1, 1, 1, 64, 1, 1, 0, blocking, first, nullptr), CUDA_SUCCESS);
    ASSERT_EQ(cuLaunchKernel(copy, 16, 1, 1, 64, 1, 1, 0, nullptr, second, nullptr), CUDA_SUCCESS);
    ASSERT_EQ(cuLaunchKernel(add, 1, 1, 1, 64, 1, 1, 0, blocking, first, nullptr), CUDA_SUCCESS);
    EXPECT_EQ(download<int>(q, n), std::vector<int>(n, 1));
    ASSERT_EQ(cuStreamSynchronize(blocking), CUDA_SUCCESS);
    EXPECT_EQ(download<int>(p, n), std::vector<int>(n, 2));
  }
}

TEST_F(Driver, EventsTellTimeAndState) {
  CUevent begin, end;
  ASSERT_EQ(cuEventCreate(&begin, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuEventCreate(&end, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuEventQuery(begin), CUDA_SUCCESS); // never recorded
  float ms = -1;
  EXPECT_EQ(cuEventElapsedTime(&ms, begin, end), CUDA_ERROR_INVALID_HANDLE);
  ASSERT_EQ(cuEventRecord(begin, nullptr), CUDA_SUCCESS);
  CUfunction add = compile(addOne, "k");
  int n = 100000;
  CUdeviceptr p = upload(std::vector<int>(n, 0));
  void *parameters[] = {&p, &n};
  ASSERT_EQ(cuLaunchKernel(add, 1, 1, 1, 256, 1, 1, 0, nullptr, parameters, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(cuEventRecord(end, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(cuEventSynchronize(end), CUDA_SUCCESS);
  ASSERT_EQ(cuEventElapsedTime(&ms, begin, end), CUDA_SUCCESS);
  EXPECT_GT(ms, 0);
  EXPECT_EQ(cuEventDestroy(begin), CUDA_SUCCESS);
  EXPECT_EQ(cuEventQuery(begin), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Driver, AllocatesAndFreesInStreamOrder) {
  CUstream stream;
  ASSERT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  CUfunction add = compile(addOne, "k");
  CUdeviceptr p;
  int n = 64;
  ASSERT_EQ(cuMemAllocAsync(&p, n * 4, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuMemsetD32Async(p, 41, n, stream), CUDA_SUCCESS);
  void *parameters[] = {&p, &n};
  ASSERT_EQ(cuLaunchKernel(add, 1, 1, 1, 64, 1, 1, 0, stream, parameters, nullptr), CUDA_SUCCESS);
  std::vector<int> out(n);
  ASSERT_EQ(cuMemcpyDtoHAsync(out.data(), p, n * 4, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuMemFreeAsync(p, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFreeAsync(p, stream), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(out, std::vector<int>(n, 42));
  CUmemoryPool pool;
  ASSERT_EQ(cuDeviceGetDefaultMemPool(&pool, 0), CUDA_SUCCESS);
  cuuint64_t threshold = 1 << 20, got = 0;
  ASSERT_EQ(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold), CUDA_SUCCESS);
  ASSERT_EQ(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &got), CUDA_SUCCESS);
  EXPECT_EQ(got, threshold);
}

TEST_F(Driver, CopiesRectangles) {
  std::vector<int> host(6 * 8);
  for (int i = 0; i < 48; ++i) host[i] = i;
  CUdeviceptr p = upload(std::vector<int>(10 * 10, -1));
  CUDA_MEMCPY2D c = {};
  c.srcMemoryType = CU_MEMORYTYPE_HOST;
  c.srcHost = host.data();
  c.srcPitch = 8 * 4;
  c.srcXInBytes = 2 * 4;
  c.srcY = 1;
  c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  c.dstDevice = p;
  c.dstPitch = 10 * 4;
  c.dstXInBytes = 3 * 4;
  c.dstY = 4;
  c.WidthInBytes = 5 * 4;
  c.Height = 3;
  ASSERT_EQ(cuMemcpy2D(&c), CUDA_SUCCESS);
  auto got = download<int>(p, 100);
  for (int y = 0; y < 10; ++y)
    for (int x = 0; x < 10; ++x) {
      bool inside = y >= 4 && y < 7 && x >= 3 && x < 8;
      ASSERT_EQ(got[y * 10 + x], inside ? (y - 4 + 1) * 8 + x - 3 + 2 : -1) << y << " " << x;
    }
  c.Height = 7;
  EXPECT_EQ(cuMemcpy2D(&c), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Driver, HostFunctionsRunInOrderAndMayWaitForThreads) {
  CUstream stream;
  ASSERT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  static std::atomic<int> value;
  value = 0;
  auto function = [](void *) {
    std::thread([] {
      int count;
      value = cuDeviceGetCount(&count) == CUDA_SUCCESS ? 1 : 2; // another thread's call is not locked out
    }).join();
  };
  ASSERT_EQ(cuLaunchHostFunc(stream, function, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(value, 1);
}

class Graphs : public Device {
protected:
  void SetUp() override {
    Device::SetUp();
    add_ = compile(addOne, "k");
    ASSERT_EQ(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    p_ = upload(std::vector<int>(n_, 0));
  }
  void addOnce(CUstream stream) {
    void *parameters[] = {&p_, &n_};
    ASSERT_EQ(cuLaunchKernel(add_, 1, 1, 1, 64, 1, 1, 0, stream, parameters, nullptr), CUDA_SUCCESS);
  }
  CUfunction add_;
  CUstream stream_;
  CUdeviceptr p_;
  int n_ = 100;
};

TEST_F(Graphs, CaptureRecordsAndReplays) {
  ASSERT_EQ(cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), CUDA_SUCCESS);
  addOnce(stream_);
  addOnce(stream_);
  EXPECT_EQ(cuStreamSynchronize(stream_), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  CUgraph graph;
  ASSERT_EQ(cuStreamEndCapture(stream_, &graph), CUDA_SUCCESS);
  size_t nodes = 0;
  ASSERT_EQ(cuGraphGetNodes(graph, nullptr, &nodes), CUDA_SUCCESS);
  EXPECT_EQ(nodes, 2u);
  EXPECT_EQ(download<int>(p_, 1)[0], 0); // nothing ran
  CUgraphExec exec;
  ASSERT_EQ(cuGraphInstantiate(&exec, graph, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(cuGraphLaunch(exec, stream_), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamSynchronize(stream_), CUDA_SUCCESS);
  EXPECT_EQ(download<int>(p_, n_), std::vector<int>(n_, 6));
  EXPECT_EQ(cuGraphExecDestroy(exec), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphLaunch(exec, stream_), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Graphs, AForkMustBeJoined) {
  CUstream other;
  CUevent fork, join;
  ASSERT_EQ(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  ASSERT_EQ(cuEventCreate(&fork, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  ASSERT_EQ(cuEventCreate(&join, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  for (bool joined : {false, true}) {
    ASSERT_EQ(cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
    addOnce(stream_);
    ASSERT_EQ(cuEventRecord(fork, stream_), CUDA_SUCCESS);
    ASSERT_EQ(cuStreamWaitEvent(other, fork, 0), CUDA_SUCCESS);
    addOnce(other);
    if (joined) {
      ASSERT_EQ(cuEventRecord(join, other), CUDA_SUCCESS);
      ASSERT_EQ(cuStreamWaitEvent(stream_, join, 0), CUDA_SUCCESS);
      addOnce(stream_);
    }
    CUgraph graph;
    EXPECT_EQ(cuStreamEndCapture(stream_, &graph), joined ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    if (!joined) continue;
    CUgraphExec exec;
    ASSERT_EQ(cuGraphInstantiate(&exec, graph, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuGraphLaunch(exec, stream_), CUDA_SUCCESS);
    ASSERT_EQ(cuStreamSynchronize(stream_), CUDA_SUCCESS);
    EXPECT_EQ(download<int>(p_, n_), std::vector<int>(n_, 3));
  }
}

TEST_F(Graphs, ParametersOfANodeAreReplaced) {
  CUgraph graph;
  CUgraphNode node, clear;
  ASSERT_EQ(cuGraphCreate(&graph, 0), CUDA_SUCCESS);
  CUDA_MEMSET_NODE_PARAMS set = {};
  set.dst = p_;
  set.value = 10;
  set.elementSize = 4;
  set.width = static_cast<size_t>(n_);
  set.height = 1;
  ASSERT_EQ(cuGraphAddMemsetNode(&clear, graph, nullptr, 0, &set, context_), CUDA_SUCCESS);
  int half = n_ / 2;
  void *few[] = {&p_, &half}, *all[] = {&p_, &n_};
  CUDA_KERNEL_NODE_PARAMS kernel = {};
  kernel.func = add_;
  kernel.gridDimX = kernel.gridDimY = kernel.gridDimZ = kernel.blockDimY = kernel.blockDimZ = 1;
  kernel.blockDimX = 64;
  kernel.kernelParams = few;
  ASSERT_EQ(cuGraphAddKernelNode(&node, graph, &clear, 1, &kernel), CUDA_SUCCESS);
  CUgraphExec exec;
  ASSERT_EQ(cuGraphInstantiate(&exec, graph, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphLaunch(exec, stream_), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamSynchronize(stream_), CUDA_SUCCESS);
  auto got = download<int>(p_, n_);
  EXPECT_EQ(got[half - 1], 11);
  EXPECT_EQ(got[half], 10);
  kernel.kernelParams = all;
  ASSERT_EQ(cuGraphExecKernelNodeSetParams(exec, node, &kernel), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphLaunch(exec, stream_), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamSynchronize(stream_), CUDA_SUCCESS);
  EXPECT_EQ(download<int>(p_, n_), std::vector<int>(n_, 11));
  CUgraphNode back;
  ASSERT_EQ(cuGraphAddEmptyNode(&back, graph, &node, 1), CUDA_SUCCESS);
  CUgraphExecUpdateResultInfo info;
  EXPECT_EQ(cuGraphExecUpdate(exec, graph, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
}

TEST_F(Driver, CooperativeKernelsWaitForTheWholeGrid) {
  CUfunction f = compile(R"(extern "C" __global__ void k(unsigned *arrived, int *seen) {
    if (threadIdx.x == 0) { atomicAdd(arrived, 1u); while (atomicAdd(arrived, 0u) < gridDim.x) {} seen[blockIdx.x] = (int)*(volatile unsigned *)arrived; }
  })",
                         "k");
  CUdeviceptr arrived = upload(std::vector<unsigned>{0}), seen = allocate(200 * 4);
  void *parameters[] = {&arrived, &seen};
  ASSERT_EQ(cuLaunchCooperativeKernel(f, 200, 1, 1, 32, 1, 1, 0, nullptr, parameters), CUDA_SUCCESS);
  EXPECT_EQ(download<int>(seen, 200), std::vector<int>(200, 200));
  EXPECT_EQ(cuLaunchCooperativeKernel(f, 1 << 20, 1, 1, 32, 1, 1, 0, nullptr, parameters),
            CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
}

TEST_F(Driver, FindsEntryPointsByName) {
  void *p = nullptr;
  CUdriverProcAddressQueryResult status;
  ASSERT_EQ(cuGetProcAddress("cuMemAlloc", &p, CUDA_VERSION, CU_GET_PROC_ADDRESS_DEFAULT, &status), CUDA_SUCCESS);
  CUdeviceptr memory = 0;
  EXPECT_EQ(reinterpret_cast<CUresult (*)(CUdeviceptr *, size_t)>(p)(&memory, 16), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree(memory), CUDA_SUCCESS);
  EXPECT_NE(cuGetProcAddress("cuNoSuchFunction", &p, CUDA_VERSION, CU_GET_PROC_ADDRESS_DEFAULT, &status), CUDA_SUCCESS);
}

/// One number of the counters: the first `name` behind `section`.
uint64_t counted(const std::string &json, const std::string &section, const std::string &name) {
  size_t at = json.find('"' + section + '"');
  at = json.find('"' + name + "\": ", at);
  return at == json.npos ? ~0ull : std::stoull(json.substr(at + name.size() + 4));
}

TEST_F(Driver, CountsTrafficExactly) {
  if (!isStandIn()) GTEST_SKIP() << "a real driver does not count";
  CUfunction f = compile(R"(extern "C" __global__ void k(const float *x, float *y, int stride) {
    __shared__ float s[32 * 33];
    float v = x[threadIdx.x * stride];
    s[threadIdx.x * 32] = v;   // all lanes in one bank
    __syncwarp();
    y[threadIdx.x] = s[threadIdx.x * 32];
  })",
                         "k");
  CUdeviceptr x = upload(std::vector<float>(32 * 8, 1)), y = allocate(128);
  for (int stride : {1, 8}) {
    resetCounters();
    ASSERT_EQ(run(f, {1}, {32}, 0, x, y, stride), CUDA_SUCCESS);
    std::string json = countersJson();
    EXPECT_EQ(counted(json, "total", "launches"), 1u);
    EXPECT_EQ(counted(json, "global_load", "requests"), 1u) << json;
    EXPECT_EQ(counted(json, "global_load", "bytes"), 128u);
    EXPECT_EQ(counted(json, "global_load", "sectors"), stride == 1 ? 4u : 32u);
    EXPECT_EQ(counted(json, "global_load", "unique_sectors"), stride == 1 ? 4u : 32u);
    EXPECT_EQ(counted(json, "global_store", "sectors"), 4u);
    EXPECT_EQ(counted(json, "shared", "requests"), 2u);
    EXPECT_EQ(counted(json, "shared", "bank_conflicts"), 62u);
    EXPECT_EQ(counted(json, "kernels", "launches"), 1u);
  }
  resetCounters();
  download<float>(y, 32);
  EXPECT_EQ(counted(countersJson(), "device_to_host", "bytes"), 128u);
}

/// Lanes that part meet again where a kernel ends with a loop, after which there is nothing but the return that lanes
/// without work went to at the beginning.
TEST_F(Driver, LanesMeetBeforeALastLoop) {
  if (!isStandIn()) GTEST_SKIP() << "a real driver does not count";
  CUfunction f = compile(R"(extern "C" __global__ void k(const float *x, float *y, int n) {
    if (threadIdx.x >= n) return;
    float v = x[threadIdx.x];
    if (threadIdx.x % 2) v = v * x[n + threadIdx.x];
    for (int i = threadIdx.x; i < 4 * n; i += n) y[i] = v;
  })",
                         "k");
  CUdeviceptr x = upload(std::vector<float>(64, 2)), y = allocate(32 * 4 * 4);
  resetCounters();
  ASSERT_EQ(run(f, {1}, {64}, 0, x, y, 32), CUDA_SUCCESS);
  EXPECT_EQ(counted(countersJson(), "global_store", "requests"), 4u);
  EXPECT_EQ(counted(countersJson(), "global_load", "requests"), 2u);
}

TEST_F(Driver, DeviceMemoryIsNotTheHosts) {
  if (!isStandIn()) GTEST_SKIP();
  CUdeviceptr p = upload(std::vector<int>{1});
  EXPECT_DEATH(std::printf("%d", *reinterpret_cast<volatile int *>(p)), "");
}

} // namespace
